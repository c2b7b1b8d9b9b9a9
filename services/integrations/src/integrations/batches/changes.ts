/** Applies a batch of config-sync in one transaction: all changes or none, at most once. */
import {
  type AnyIntegrationConfig,
  type AuditDraft,
  collectIssues,
  conflict,
  type EventDraft,
  type IntegrationBatch,
  type Issue,
  invalid,
  type NewIntegration,
  REDACTED,
  type TransactionOutcome,
  throwIssues,
} from '@status-page/contracts'
import { recordAppliedBatch, type Scope } from '@status-page/postgres'
import { integrationEncryptionContext, SealError, type Sealer } from '@status-page/secrets'
import { type IntegrationRow, integrationBatches } from '../../tables.ts'
import { completeConfig, inContractOrder, mergeConfig } from '../config.ts'
import {
  changeIntegration,
  createIntegration,
  integrationAuditEntry,
  integrationEvent,
} from '../rules.ts'
import { decryptConfig, encryptConfig, mapSecrets } from '../secrets.ts'
import {
  insertIntegration,
  isIntegrationInUse,
  removeIntegration,
  saveIntegration,
} from '../store.ts'
import * as store from './store.ts'

export type IntegrationBatchReply = { isRepeat: boolean; retained: string[] }

/** Rows after validation, with decrypted secrets. */
export interface ValidatedIntegrationBatch {
  created: { place: string; row: IntegrationRow }[]
  updated: { place: string; before: IntegrationRow; row: IntegrationRow }[]
  removed: IntegrationRow[]
}

export const applyIntegrationBatch = async (
  scope: Scope,
  batch: IntegrationBatch,
  sealer: Sealer,
): Promise<TransactionOutcome<IntegrationBatchReply>> => {
  if (!(await recordAppliedBatch(scope, integrationBatches, batch.id))) {
    return { result: { isRepeat: true, retained: await retainedBy(scope, batch) } }
  }
  // A batch that was not applied is marked, so that it never applies later: nothing to undo.
  if (
    batch.undoes !== null &&
    (await recordAppliedBatch(scope, integrationBatches, batch.undoes))
  ) {
    return { result: { isRepeat: false, retained: [] } }
  }
  const { created, updated, removed } = await validateBatch(scope, batch, sealer)
  const sealed = (row: IntegrationRow) => ({
    ...row,
    config: encryptConfig(sealer, row, row.config),
  })
  for (const { row } of created) await insertIntegration(scope, sealed(row))
  for (const { row } of updated) await saveIntegration(scope, sealed(row))
  const going = batch.undoes === null ? removed : await unused(scope, removed)
  for (const row of going) await remove(scope, row)
  const result = { isRepeat: false, retained: await retainedBy(scope, batch) }
  return { result, ...batchOutcome({ created, updated, removed: going }) }
}

/** Integrations that an undo may delete: those without metric queries created since. */
const unused = async (scope: Scope, rows: readonly IntegrationRow[]): Promise<IntegrationRow[]> => {
  const going: IntegrationRow[] = []
  for (const row of rows) if (!(await isIntegrationInUse(scope, row.id))) going.push(row)
  return going
}

const retainedBy = async (
  scope: Scope,
  { undoes, remove: wanted }: IntegrationBatch,
): Promise<string[]> => {
  if (undoes === null) return []
  const left = await store.lockIntegrations(
    scope,
    wanted.map(({ id }) => id),
  )
  return [...left.values()].map(({ name }) => name)
}

const remove = async (scope: Scope, { id, name }: IntegrationRow): Promise<void> => {
  if (await isIntegrationInUse(scope, id)) {
    throw conflict('in_use', `METRIC components use ${name}`)
  }
  await removeIntegration(scope, id)
}

const batchOutcome = ({ created, updated, removed }: ValidatedIntegrationBatch) => {
  const events: EventDraft[] = [
    ...created.map(({ row }) => integrationEvent('created', row)),
    ...updated.map(({ row }) => integrationEvent('updated', row)),
    ...removed.map((row) => integrationEvent('deleted', row)),
  ]
  const audit: AuditDraft[] = [
    ...created.map(({ row }) => integrationAuditEntry('create', null, row)),
    ...updated.map(({ before, row }) => integrationAuditEntry('update', before, row)),
    ...removed.map((row) => integrationAuditEntry('delete', row, null)),
  ]
  return { events, audit }
}

/** Validates the batch with its rows locked; reports all problems, by their place in the batch. */
export const validateBatch = async (
  scope: Scope,
  batch: IntegrationBatch,
  sealer: Sealer,
): Promise<ValidatedIntegrationBatch> => {
  const ids = [...batch.update, ...batch.remove].map(({ id }) => id)
  const rows = await store.lockIntegrations(scope, ids)
  const issues: Issue[] = []
  const created = batch.create.flatMap((one, index) => {
    const place = `create[${index}].integration`
    return collectIssues(issues, place, () => create(scope, one, sealer)).map((row) => ({
      place,
      row,
    }))
  })
  const updated = batch.update.flatMap((one, index) => {
    const place = `update[${index}].patch`
    const before = rowAt(rows, one)
    // A row that was deleted in the meantime needs no undo and does not block the rest.
    if (before === null && batch.undoes !== null) return []
    if (before === null) throw gone()
    const opened = {
      ...before,
      config: inContractOrder(before.type, decryptConfig(sealer, before)),
    }
    return collectIssues(issues, place, () => update(scope, opened, one.patch, sealer)).flatMap(
      (row) => (row === null ? [] : [{ place, before: opened, row }]),
    )
  })
  throwIssues(issues)
  return { created, updated, removed: batch.remove.flatMap((one) => rowAt(rows, one) ?? []) }
}

const create = (
  { organizationId, now }: Scope,
  { id, integration }: IntegrationBatch['create'][number],
  sealer: Sealer,
): IntegrationRow => {
  const { type } = integration
  const given = opened({ id, organizationId, type }, integration.config, sealer)
  const config = completeConfig(type, given)
  return createIntegration(integration as NewIntegration, {
    id,
    organizationId,
    config,
    now,
    managedByConfig: true,
  })
}

const update = (
  { now }: Scope,
  before: IntegrationRow,
  { config: given, ...choices }: IntegrationBatch['update'][number]['patch'],
  sealer: Sealer,
): IntegrationRow | null => {
  const config =
    given === undefined ? before.config : mergeConfig(before, opened(before, given, sealer))
  return changeIntegration(before, choices, { config, now })
}

/** Decrypts secrets, so that the following steps are those of any other caller. */
const opened = (
  owner: Pick<IntegrationRow, 'id' | 'organizationId' | 'type'>,
  config: object,
  sealer: Sealer,
): AnyIntegrationConfig =>
  mapSecrets(owner.type, config, (text, field) => {
    if (text === REDACTED) return text
    try {
      return sealer.open(text, integrationEncryptionContext(owner, field))
    } catch (error) {
      if (!(error instanceof SealError)) throw error
      const message = `config.${field} is not sealed to the integration`
      throw invalid({ field: `config.${field}`, message })
    }
  })

/** Row at the version on which the batch was planned; null when there is none. */
const rowAt = (
  rows: ReadonlyMap<string, IntegrationRow>,
  { id, version }: { id: string; version: number | null },
): IntegrationRow | null => {
  const row = rows.get(id) ?? null
  if (row !== null && version !== null && row.version !== version) {
    throw conflict('version_mismatch', `The integration ${row.name} was changed in the meantime`)
  }
  return row
}

const gone = () => conflict('version_mismatch', 'An integration was deleted in the meantime')
