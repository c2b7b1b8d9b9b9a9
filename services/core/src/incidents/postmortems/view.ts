/** Postmortem in API responses and in public responses. */
import {
  type AuditDraft,
  changesBetween,
  draftAudit,
  Postmortem,
  type PublicPostmortem,
  viewOf,
} from '@status-page/contracts'
import type { IncidentRow, PostmortemRow } from '../../tables.ts'

export const presentPostmortem = (row: PostmortemRow): Postmortem =>
  viewOf(Postmortem, { ...row, isPublished: row.publishedAt !== null })

/**
 * Lists each public field explicitly, so that internal fields are never published. A draft is null.
 */
export const toPublicPostmortem = (row: PostmortemRow | undefined): PublicPostmortem | null =>
  row === undefined || row.publishedAt === null
    ? null
    : {
        summary: row.summary,
        rootCause: row.rootCause,
        impact: row.impact,
        resolution: row.resolution,
        timeline: row.timeline,
        publishedAt: row.publishedAt.toISOString(),
        updatedAt: row.updatedAt.toISOString(),
      }

/** Audit entry, named after the incident. */
export const auditPostmortem = (
  verb: 'create' | 'update' | 'delete',
  { title }: IncidentRow,
  { before, after }: { before: PostmortemRow | null; after: PostmortemRow },
): AuditDraft => {
  const changes = changesBetween(before && auditable(before), auditable(after))
  const entity = { id: after.id, name: title }
  return draftAudit(`postmortem.${verb}`, entity, verb === 'delete' ? {} : changes)
}

const auditable = (row: PostmortemRow) => {
  const { summary, rootCause, impact, resolution, timeline, actionItems, publishedAt } = row
  const texts = { summary, rootCause, impact, resolution, timeline, actionItems }
  return { ...texts, publishedAt: publishedAt?.toISOString() ?? null }
}
