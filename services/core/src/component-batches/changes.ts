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
import { headerContext, headerSeal } from '../components/request-headers.ts'
import { lockTree, removeComponents } from '../components/store.ts'
import { endChecks } from '../incidents/ended-checks.ts'
import { tellBatch, type ValidatedComponentBatch, validateBatch } from './rules.ts'
import * as store from './store.ts'

export type ComponentBatchReply = { isRepeat: boolean }

export const takeEffect = async (
  scope: Scope,
  batch: ComponentBatch,
  { sealer, baseUrl }: { sealer: Sealer; baseUrl: string },
): Promise<Outcome<ComponentBatchReply>> => {
  await lockTree(scope)
  if (!(await store.markBatch(scope, batch.id))) {
    return { result: { isRepeat: true }, events: [], audit: [] }
  }
  const disabled = batch.update.filter(({ patch }) => patch.isEnabled === false)
  const gone = { deleted: batch.remove.map(idOf), disabled: disabled.map(idOf) }
  const ended = await endChecks(scope, gone, baseUrl)
  const { judged, before } = await judge(scope, batch, sealer)
  const { created, updated, removed, movedIds } = judged
  await store.insertComponents(scope, created)
  await store.saveDefinitions(
    scope,
    updated.map(({ row }) => row),
  )
  const moved = await store.raiseAll(scope, movedIds)
  if (removed.length > 0) {
    await removeComponents(
      scope,
      removed.map(({ id }) => id),
    )
  }
  const told = await runCooperatively(tellBatch(judged, { moved, before }))
  return {
    result: { isRepeat: false },
    events: [...ended.events, ...told.events],
    audit: [...ended.audit, ...told.audit],
  }
}

const idOf = ({ id }: { id: string }): string => id

/** Validates like `applyBatch` and stores nothing. */
export const tryOut = async (
  scope: Scope,
  batch: ComponentBatch,
  sealer: Sealer,
): Promise<ComponentBatchReply> => {
  await judge(scope, batch, sealer)
  return { isRepeat: false }
}

const judge = async (
  scope: Scope,
  batch: ComponentBatch,
  sealer: Sealer,
): Promise<{ judged: ValidatedComponentBatch; before: ReadonlyMap<string, string | null> }> => {
  const { organizationId, now } = scope
  const ids = [...batch.update, ...batch.remove].map(({ id }) => id)
  const rows = await store.lockAll(scope, ids)
  const { parents: before, names } = await store.wholeTree(scope)
  const clear = await runCooperatively(opened(batch, organizationId, sealer))
  const judged = await runCooperatively(
    validateBatch({
      organizationId,
      rows,
      now,
      parents: before,
      names,
      batch: clear,
      sealFor: (id) => headerSeal(sealer, organizationId, id),
    }),
  )
  return { judged, before }
}

/** Batch with decrypted header values, so that validation is the same as for other callers. */
function* opened(
  batch: ComponentBatch,
  organizationId: string,
  sealer: Sealer,
): Cooperative<ComponentBatch> {
  const open = (id: string, headers: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => {
        if (value === REDACTED || !isSecretHeader(name)) return [name, value]
        return [name, sealer.open(value, headerContext(organizationId, id, name))]
      }),
    )
  const withHeaders = <Fields extends object>(
    id: string,
    fields: Fields,
    place: string,
  ): Fields => {
    const { headers } = fields as { headers?: Record<string, string> | null }
    if (headers === undefined || headers === null) return fields
    try {
      return { ...fields, headers: open(id, headers) }
    } catch (error) {
      if (error instanceof SealError) throw invalid(notSealed(place))
      throw error
    }
  }
  const create: ComponentBatch['create'] = []
  for (const [index, { id, component }] of batch.create.entries()) {
    const place = `create[${index}].component.headers`
    create.push({ id, component: withHeaders(id, component, place) })
    yield
  }
  const update: ComponentBatch['update'] = []
  for (const [index, { id, version, patch }] of batch.update.entries()) {
    const place = `update[${index}].patch.headers`
    update.push({ id, version, patch: withHeaders(id, patch, place) })
    yield
  }
  return { ...batch, create, update }
}

const notSealed = (field: string): Issue => ({
  field,
  message: `${field} holds a secret that is not sealed to the component`,
})
