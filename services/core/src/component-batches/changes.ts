/** A batch in one transaction: all of its changes, or none, and never twice. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type ComponentBatch,
  type Issue,
  invalid,
  type Outcome,
  REDACTED,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { isSecretHeader, SealError, type Sealer } from '@status-page/secrets'
import { headerContext, headerSeal } from '../components/request-headers.ts'
import { lockComponents, lockTree, raiseVersions, removeComponents } from '../components/store.ts'
import { type Judged, judgeBatch, tellBatch } from './rules.ts'
import * as store from './store.ts'

export type BatchReply = { isRepeat: boolean }

export const takeEffect = async (
  scope: Scope,
  batch: ComponentBatch,
  sealer: Sealer,
): Promise<Outcome<BatchReply>> => {
  await lockTree(scope)
  if (!(await store.markBatch(scope, batch.id))) {
    return { result: { isRepeat: true }, events: [], audit: [] }
  }
  const { judged, before } = await judge(scope, batch, sealer)
  const { created, updated, removed, movedIds } = judged
  await store.insertComponents(scope, created)
  await store.saveDefinitions(
    scope,
    updated.map(({ row }) => row),
  )
  const moved = await raiseVersions(scope, movedIds)
  if (removed.length > 0) {
    await removeComponents(
      scope,
      removed.map(({ id }) => id),
    )
  }
  const told = tellBatch(judged, { moved, before })
  // A thousand components take as long to be told as to be written: other requests come in between.
  await nextTurn()
  return { result: { isRepeat: false }, ...told }
}

/** Throws what `takeEffect` would; stores nothing. */
export const tryOut = async (
  scope: Scope,
  batch: ComponentBatch,
  sealer: Sealer,
): Promise<BatchReply> => {
  await judge(scope, batch, sealer)
  return { isRepeat: false }
}

const judge = async (
  scope: Scope,
  batch: ComponentBatch,
  sealer: Sealer,
): Promise<{ judged: Judged; before: ReadonlyMap<string, string | null> }> => {
  const { organizationId, now } = scope
  const ids = [...batch.update, ...batch.remove].map(({ id }) => id)
  const rows = await lockComponents(scope, ids)
  const before = await store.wholeTree(scope)
  const judged = judgeBatch({
    ...{ organizationId, rows, now, parents: before },
    batch: opened(batch, organizationId, sealer),
    sealFor: (id) => headerSeal(sealer, organizationId, id),
  })
  return { judged, before }
}

/** The batch with its secret header values in the clear: what follows is as for any other caller. */
const opened = (batch: ComponentBatch, organizationId: string, sealer: Sealer): ComponentBatch => {
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
  return {
    ...batch,
    create: batch.create.map(({ id, component }, index) => {
      const place = `create[${index}].component.headers`
      return { id, component: withHeaders(id, component, place) }
    }),
    update: batch.update.map(({ id, version, patch }, index) => {
      return { id, version, patch: withHeaders(id, patch, `update[${index}].patch.headers`) }
    }),
  }
}

const notSealed = (field: string): Issue => ({
  field,
  message: `${field} holds a secret that is not sealed to the component`,
})
