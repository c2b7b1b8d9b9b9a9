/** Applies a batch of config-sync in one transaction: all changes or none, at most once. */
import { createHash } from 'node:crypto'
import {
  type AuditDraft,
  type ChannelBatch,
  type Cooperative,
  collectIssues,
  conflict,
  type EventDraft,
  type Issue,
  invalid,
  type TransactionOutcome,
} from '@status-page/contracts'
import { recordAppliedBatch, type Scope } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import { runCooperatively } from '@status-page/service'
import { decryptConfig, encryptConfig, openGivenConfig } from '../../channels/secrets.ts'
import { validateTemplates } from '../../messages/template-limits.ts'
import { type ChannelRow, channelBatches } from '../../tables.ts'
import { completeConfig, mergeConfig, orderConfigFields } from '../config.ts'
import {
  type ChannelChoices,
  type ChannelState,
  changeChannel,
  channelEvent,
  createChannel,
} from '../rules.ts'
import * as store from '../store.ts'
import { auditChannel } from '../view.ts'

export type ChannelBatchReply = { isRepeat: boolean }

/** Rows after validation, with decrypted secrets; `path` is the place of a row in the batch. */
export interface ValidatedChannelBatch {
  created: { path: string; row: ChannelRow }[]
  updated: { path: string; before: ChannelRow; row: ChannelRow }[]
  removed: ChannelRow[]
}

/** Hash of the version, which every change of a definition raises; secrets are no part of it. */
export const etagOf = ({ id, version }: Pick<ChannelRow, 'id' | 'version'>): string =>
  createHash('sha256').update(`${id} ${version}`).digest('hex')

export const applyChannelBatch = async (
  scope: Scope,
  batch: ChannelBatch,
  sealer: Sealer,
): Promise<TransactionOutcome<ChannelBatchReply>> => {
  const { id, undoes } = batch
  if (!(await recordAppliedBatch(scope, channelBatches, id))) return { result: { isRepeat: true } }
  // A batch that was not applied is recorded, so that it never applies later: nothing to undo.
  if (undoes !== null && (await recordAppliedBatch(scope, channelBatches, undoes))) {
    return { result: { isRepeat: false } }
  }
  const { created, updated, removed } = await validateBatch(scope, batch, sealer)
  const sealed = (row: ChannelRow) => ({ ...row, config: encryptConfig(sealer, row, row.config) })
  for (const { row } of created) await store.insertChannel(scope, sealed(row))
  for (const { row } of updated) await store.saveChannel(scope, sealed(row))
  for (const row of removed) await store.removeChannel(scope, row)
  const events: EventDraft[] = [
    ...created.map(({ row }) => channelEvent('created', row)),
    ...updated.map(({ row }) => channelEvent('updated', row)),
    ...removed.map((row) => channelEvent('deleted', row)),
  ]
  const audit: AuditDraft[] = [
    ...created.map(({ row }) => auditChannel('create', null, row)),
    ...updated.map(({ before, row }) => auditChannel('update', before, row)),
    ...removed.map((row) => auditChannel('delete', row, null)),
  ]
  return { result: { isRepeat: false }, events, audit }
}

/** Validates the batch with its rows locked; reports all problems, by their path in the batch. */
export const validateBatch = async (
  scope: Scope,
  batch: ChannelBatch,
  sealer: Sealer,
): Promise<ValidatedChannelBatch> => {
  if (batch.undoes === null) await refuseTakenNames(scope, batch.create)
  const ids = [...batch.update, ...batch.remove].map(({ id }) => id)
  await store.lockChannels(scope, ids)
  const states = new Map((await findStates(scope, ids)).map((state) => [state.row.id, state]))
  const { organizationId, now } = scope
  const validation = validateRows(batch, { states, organizationId, now, sealer })
  const { issues, ...validated } = await runCooperatively(validation)
  const [first, ...others] = issues
  if (first !== undefined) throw invalid(first, ...others)
  return validated
}

const findStates = async (scope: Scope, ids: readonly string[]): Promise<ChannelState[]> =>
  ids.length === 0 ? [] : store.findChannels(scope, ids)

interface BatchContext {
  states: ReadonlyMap<string, ChannelState>
  organizationId: string
  now: Date
  sealer: Sealer
}

function* validateRows(
  batch: ChannelBatch,
  context: BatchContext,
): Cooperative<ValidatedChannelBatch & { issues: Issue[] }> {
  const validated: ValidatedChannelBatch = { created: [], updated: [], removed: [] }
  const issues: Issue[] = []
  for (const [index, one] of batch.create.entries()) {
    const path = `create[${index}].value`
    const rows = collectIssues(issues, path, () => createdRow(one, context))
    validated.created.push(...rows.map((row) => ({ path, row })))
    yield
  }
  for (const [index, { value, ...expected }] of batch.update.entries()) {
    const path = `update[${index}].value`
    const state = expectedState(context, expected)
    // A channel that was deleted in the meantime needs no undo and does not block the rest.
    if (state === null && batch.undoes !== null) continue
    if (state === null) throw conflict('version_mismatch', 'A channel was deleted in the meantime')
    const before = decrypted(state.row, context.sealer)
    const change = () => changedRow({ ...state, row: before }, value, context)
    for (const row of collectIssues(issues, path, change)) {
      if (row !== null) validated.updated.push({ path, before, row })
    }
    yield
  }
  for (const expected of batch.remove) {
    const state = expectedState(context, expected)
    if (state !== null) validated.removed.push(decrypted(state.row, context.sealer))
    yield
  }
  return { ...validated, issues }
}

const createdRow = (
  { id, value }: ChannelBatch['create'][number],
  { organizationId, now, sealer }: BatchContext,
): ChannelRow => {
  const { type, messageTemplate } = value
  validateTemplates({ messageTemplate })
  const given = openGivenConfig(sealer, { id, organizationId, type }, value.config)
  const config = completeConfig(type, given)
  return createChannel(value, { id, organizationId, config, now, managedByConfig: true })
}

const changedRow = (
  state: ChannelState,
  { config: given, ...choices }: ChannelBatch['update'][number]['value'],
  { now, sealer }: BatchContext,
): ChannelRow | null => {
  const { row } = state
  validateTemplates({ messageTemplate: choices.messageTemplate })
  const config =
    given === undefined ? row.config : mergeConfig(row, openGivenConfig(sealer, row, given))
  return changeChannel(state, choices as ChannelChoices, { config, now })
}

const decrypted = (row: ChannelRow, sealer: Sealer): ChannelRow => ({
  ...row,
  config: orderConfigFields(row.type, decryptConfig(sealer, row)),
})

/** Channel with the definition from which the batch was planned; null when there is none. */
const expectedState = (
  { states }: BatchContext,
  { id, etag }: { id: string; etag: string | null },
): ChannelState | null => {
  const state = states.get(id) ?? null
  if (state !== null && etag !== null && etagOf(state.row) !== etag) {
    throw conflict('version_mismatch', `${state.row.name} was changed in the meantime`)
  }
  return state
}

/** Rejects created names that exist: the batch was planned without them. */
const refuseTakenNames = async (scope: Scope, create: ChannelBatch['create']): Promise<void> => {
  const names = create.map(({ value }) => value.name)
  const [taken] = await store.findChannelNames(scope, names)
  if (taken === undefined) return
  throw conflict('version_mismatch', `${taken} was created in the meantime`)
}
