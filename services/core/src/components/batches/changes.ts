/** Applies a batch in one transaction: all changes or none, and at most once. */
import {
  type ComponentBatch,
  type Cooperative,
  type Issue,
  invalid,
  type Outcome,
  REDACTED,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { isSecretHeader, SealError, type Sealer } from '@status-page/secrets'
import { runCooperatively } from '@status-page/service'
import type { ComponentChangeDeps } from '../changes.ts'
import { headerEncrypter, headerEncryptionContext } from '../request-headers.ts'
import { lockComponentTree, removeComponents } from '../store.ts'
import { batchEvents, type ValidatedComponentBatch, validateBatch } from './rules.ts'
import * as store from './store.ts'

export type ComponentBatchReply = { isRepeat: boolean }

export const applyBatch = async (
  scope: Scope,
  batch: ComponentBatch,
  { sealer, endedChecks }: ComponentChangeDeps,
): Promise<Outcome<ComponentBatchReply>> => {
  await lockComponentTree(scope)
  if (!(await store.recordAppliedBatch(scope, batch.id))) {
    return { result: { isRepeat: true }, events: [], audit: [] }
  }
  const disabled = batch.update.filter(({ patch }) => patch.isEnabled === false)
  const checks = { deleted: batch.remove.map(idOf), disabled: disabled.map(idOf) }
  const changedIds = [...batch.update, ...batch.remove].map(idOf)
  const ended = await endedChecks.apply(scope, checks, changedIds)
  const { validated, before } = await validateLocked(scope, batch, sealer)
  const { created, updated, removed, movedIds } = validated
  await endedChecks.retainPages(scope, checks.deleted)
  await store.insertComponents(scope, created)
  await store.saveDefinitions(
    scope,
    updated.map(({ row }) => row),
  )
  const moved = await store.raiseVersionsInChunks(scope, movedIds)
  if (removed.length > 0) {
    await removeComponents(
      scope,
      removed.map(({ id }) => id),
    )
  }
  const drafts = await runCooperatively(batchEvents(validated, { moved, before }))
  return {
    result: { isRepeat: false },
    events: [...ended.events, ...drafts.events],
    audit: [...ended.audit, ...drafts.audit],
  }
}

const idOf = ({ id }: { id: string }): string => id

/** Validates like `applyBatch` and stores nothing. */
export const dryRunBatch = async (
  scope: Scope,
  batch: ComponentBatch,
  sealer: Sealer,
): Promise<ComponentBatchReply> => {
  await validateLocked(scope, batch, sealer)
  return { isRepeat: false }
}

const validateLocked = async (
  scope: Scope,
  batch: ComponentBatch,
  sealer: Sealer,
): Promise<{ validated: ValidatedComponentBatch; before: ReadonlyMap<string, string | null> }> => {
  const { organizationId, now } = scope
  const ids = [...batch.update, ...batch.remove].map(({ id }) => id)
  const rows = await store.lockComponentsInChunks(scope, ids)
  const { parents: before, names } = await store.loadComponentTree(scope)
  const decrypted = await runCooperatively(decryptHeaders(batch, organizationId, sealer))
  const validated = await runCooperatively(
    validateBatch({
      organizationId,
      rows,
      now,
      parents: before,
      names,
      batch: decrypted,
      sealFor: (id) => headerEncrypter(sealer, organizationId, id),
    }),
  )
  return { validated, before }
}

/** Batch with decrypted header values, so that validation is the same as for other callers. */
function* decryptHeaders(
  batch: ComponentBatch,
  organizationId: string,
  sealer: Sealer,
): Cooperative<ComponentBatch> {
  const open = (id: string, headers: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => {
        if (value === REDACTED || !isSecretHeader(name)) return [name, value]
        return [name, sealer.open(value, headerEncryptionContext(organizationId, id, name))]
      }),
    )
  const withHeaders = <Fields extends object>(id: string, fields: Fields, path: string): Fields => {
    const { headers } = fields as { headers?: Record<string, string> | null }
    if (headers === undefined || headers === null) return fields
    try {
      return { ...fields, headers: open(id, headers) }
    } catch (error) {
      if (error instanceof SealError) throw invalid(notSealed(path))
      throw error
    }
  }
  const create: ComponentBatch['create'] = []
  for (const [index, { id, component }] of batch.create.entries()) {
    const path = `create[${index}].component.headers`
    create.push({ id, component: withHeaders(id, component, path) })
    yield
  }
  const update: ComponentBatch['update'] = []
  for (const [index, { id, version, patch }] of batch.update.entries()) {
    const path = `update[${index}].patch.headers`
    update.push({ id, version, patch: withHeaders(id, patch, path) })
    yield
  }
  return { ...batch, create, update }
}

const notSealed = (field: string): Issue => ({
  field,
  message: `${field} holds a secret that is not sealed to the component`,
})
