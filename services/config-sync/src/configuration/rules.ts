/** Version, event and audit entries of an applied document. Pure. */
import {
  type Actor,
  type AuditDraft,
  type ConfigApplyResult,
  type ConfigurationDocument,
  ConfigurationVersion,
  configurationApplied,
  draftAudit,
  draftEvent,
  type EventDraft,
  viewOf,
} from '@status-page/contracts'
import type { ApplyRow, VersionRow } from '../tables.ts'
import type { NewVersion } from './journal.ts'

export const newVersionRow = (
  version: NewVersion,
  by: { organizationId: string; actor: Actor; applied: ConfigApplyResult; now: Date },
): VersionRow => {
  const { organizationId, actor, applied, now } = by
  return {
    ...version,
    organizationId,
    appliedBy: actor.userId,
    createdAt: now,
    createdCount: applied.created.length,
    updatedCount: applied.updated.length,
    deletedCount: applied.deleted.length,
  }
}

/** Each version is an aggregate with a single event. */
export const appliedEvent = (row: VersionRow): EventDraft => {
  const { id, name, configVersion, source, commit } = row
  const { created, updated, deleted } = countsOf(row)
  return draftEvent(
    configurationApplied,
    { id, version: 1 },
    {
      configuration: { id, name, configVersion, source, commit, created, updated, deleted },
    },
  )
}

/** Lists names of changed resources, never values. */
export const auditApply = (row: VersionRow, applied: ConfigApplyResult): AuditDraft => {
  const namesOf = (entries: readonly { resourceName: string }[]) => ({
    to: entries.map(({ resourceName }) => resourceName),
  })
  return draftAudit('configuration.apply', row, {
    configVersion: { to: row.configVersion },
    created: namesOf(applied.created),
    updated: namesOf(applied.updated),
    deleted: namesOf(applied.deleted),
  })
}

/** Audit entry of an undone apply. The entity is the journal entry, since no version exists. */
export const auditUndoneApply = ({ id, work }: ApplyRow, reason: string): AuditDraft =>
  draftAudit(
    'configuration.undo',
    { id, name: work?.version?.name ?? null },
    { configVersion: { to: work?.applied.configVersion ?? null }, reason: { to: reason } },
  )

type ListedVersion = Omit<VersionRow, 'organizationId' | 'document'>

const countsOf = ({ createdCount, updatedCount, deletedCount }: ListedVersion) => ({
  created: createdCount,
  updated: updatedCount,
  deleted: deletedCount,
})

export const presentVersion = (row: ListedVersion): ConfigurationVersion =>
  viewOf(ConfigurationVersion, { ...row, changes: countsOf(row), updatedAt: row.createdAt })

export const presentDocument = (row: VersionRow): ConfigurationDocument => ({
  ...presentVersion(row),
  document: row.document,
})
