/** The operations of components. */
import {
  type Check,
  type Component,
  checkOperations,
  componentOperations,
  invalid,
  listReply,
  notFound,
  RECENT_CHECKS,
  success,
  unavailable,
} from '@status-page/contracts'
import { judgeUrl, type OutboundPolicy } from '@status-page/outbound'
import { newId, type Scope } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import { type Call, type Client, type Route, route } from '@status-page/service'
import type { ComponentRow } from '../tables.ts'
import { headerSeal } from './request-headers.ts'
import {
  auditComponent,
  changeComponent,
  createComponent,
  type StatusChange,
  stateComponent,
} from './rules.ts'
import * as store from './store.ts'
import { checkParent, heightOf } from './tree.ts'
import { presentComponents } from './view.ts'

export interface ComponentDoors {
  sealer: Sealer
  policy: OutboundPolicy
  /** Answers for what the monitor knows of ENDPOINT components. */
  monitor: Client
}

type Include = 'subComponents' | 'monitors' | 'checks'

const what = 'Component'

export const componentRoutes = ({ sealer, policy, monitor }: ComponentDoors): Route[] =>
  route(componentOperations, {
    list: async (call) => {
      const { query } = call
      if (query.parentId !== undefined && query.topLevelOnly === true) {
        throw invalid({
          field: 'parentId',
          message: 'parentId and topLevelOnly exclude each other',
        })
      }
      const include = new Set<Include>(query.include)
      if (query.includeChecks === true) include.add('checks')
      const { shown, total } = await call.read(async (scope) => {
        const { rows, total } = await store.listComponents(scope, query)
        return { shown: await withChildren(scope, rows, include), total }
      })
      return listReply(query, total, await withMonitors(monitor, call, shown, include))
    },

    create: async (call) => {
      const { body } = call
      if (body.type === 'ENDPOINT') await judgeTarget(body.url, policy)
      return call.change(async (scope) => {
        const id = newId()
        const row = createComponent({
          id,
          organizationId: scope.organizationId,
          body,
          source: call.actor.type === 'config_sync' ? 'config' : 'manual',
          seal: headerSeal(sealer, scope.organizationId, id),
          now: scope.now,
        })
        const ancestorIds = await placeBelow(scope, { id: null, parentId: row.parentComponentId })
        await store.insertComponent(scope, row)
        return {
          result: await presentOne(scope, row.id),
          events: [stateComponent('created', row, ancestorIds)],
          audit: [auditComponent('create', null, row)],
        }
      })
    },

    read: async (call) => {
      const include = new Set<Include>(call.query.include)
      const shown = await call.read(async (scope) => {
        const row = (await store.findComponents(scope, [call.params.id])).get(call.params.id)
        if (row === undefined) throw notFound(what)
        return withChildren(scope, [row], include)
      })
      const [component] = await withMonitors(monitor, call, shown, include)
      return component as Component
    },

    update: async (call) => {
      const { params, body } = call
      if (typeof body.url === 'string') await judgeTarget(body.url, policy)
      return call.change(async (scope) => {
        if (body.parentComponentId !== undefined) await store.lockTree(scope)
        const before = (await store.lockComponents(scope, [params.id])).get(params.id)
        if (before === undefined) throw notFound(what)
        const seal = headerSeal(sealer, scope.organizationId, before.id)
        const { row, fields, shown } = changeComponent({
          ...{ row: before, patch: body, seal, now: scope.now },
        })
        const events = fields.length === 0 ? [] : await saveDefinition(scope, row, fields)
        await store.saveStatuses(scope, shown === null ? [] : [shown])
        const after = shown === null ? row : { ...row, status: shown.status }
        return {
          result: await presentOne(scope, row.id),
          events,
          audit: isChanged(fields, shown) ? [auditComponent('update', before, after)] : [],
        }
      })
    },

    remove: (call) =>
      call.change(async (scope) => {
        await store.lockTree(scope)
        const ids = await store.subtreeIds(scope, call.params.id)
        const rows = [...(await store.lockComponents(scope, ids)).values()]
        const top = rows.find(({ id }) => id === call.params.id)
        if (top === undefined) throw notFound(what)
        const chains = await store.ancestorsOf(scope, ids)
        await store.removeComponents(scope, ids)
        return {
          result: success,
          events: rows.map((row) =>
            stateComponent(
              'deleted',
              { ...row, version: row.version + 1 },
              idsOf(chains.get(row.id)),
            ),
          ),
          audit: [auditComponent('delete', top, null)],
        }
      }),

    check: async (call) => {
      const row = await call.read(async (scope) =>
        (await store.findComponents(scope, [call.params.id])).get(call.params.id),
      )
      if (row === undefined) throw notFound(what)
      if (row.type !== 'ENDPOINT') {
        throw invalid({ field: 'type', message: 'Only ENDPOINT components can be checked' })
      }
      const check = await runCheck(monitor, call, row.id)
      const { id: _id, componentId: _component, success, trigger: _trigger, ...result } = check
      return { success, result }
    },
  })

const isChanged = (fields: readonly string[], shown: StatusChange | null): boolean =>
  fields.length > 0 || shown !== null

const judgeTarget = async (url: string, policy: OutboundPolicy): Promise<void> => {
  const verdict = await judgeUrl(url, policy)
  if (!verdict.ok) throw invalid({ field: 'url', message: verdict.message })
}

/** The ids above the place, once it is known to exist and to fit. */
const placeBelow = async (
  scope: Scope,
  place: { id: string | null; parentId: string | null },
): Promise<string[]> => {
  const { id, parentId } = place
  if (parentId === null) return []
  const parent = (await store.findComponents(scope, [parentId])).get(parentId)
  if (parent === undefined) {
    const field = 'parentComponentId'
    throw invalid({ field, message: 'parentComponentId names no component' })
  }
  const ancestorIds = [
    parentId,
    ...idsOf((await store.ancestorsOf(scope, [parentId])).get(parentId)),
  ]
  const below = id === null ? [] : await store.subtreeIds(scope, id)
  const nodes = [...(await store.findComponents(scope, below)).values()]
  checkParent({ id, ancestorIds, height: id === null ? 0 : heightOf(id, nodes) })
  return ancestorIds
}

/** Saves the row and states it anew; after a move also those below, whose ancestors changed. */
const saveDefinition = async (scope: Scope, row: ComponentRow, fields: readonly string[]) => {
  const { id, parentComponentId: parentId } = row
  const moves = fields.includes('parentComponentId')
  const ancestorIds = moves
    ? await placeBelow(scope, { id, parentId })
    : idsOf((await store.ancestorsOf(scope, [id])).get(id))
  await store.saveDefinition(scope, row)
  const events = [stateComponent('updated', row, ancestorIds)]
  if (!moves) return events
  const below = (await store.subtreeIds(scope, id)).filter((one) => one !== id)
  const moved = await store.raiseVersions(scope, below)
  const chains = await store.ancestorsOf(scope, below)
  return [
    ...events,
    ...moved.map((one) => stateComponent('updated', one, idsOf(chains.get(one.id)))),
  ]
}

const idsOf = (chain: readonly store.Ancestor[] = []): string[] => chain.map(({ id }) => id)

const presentOne = async (scope: Scope, id: string): Promise<Component> => {
  const rows = await store.findComponents(scope, [id])
  const [component] = await presentComponents(scope, [...rows.values()])
  return component as Component
}

const withChildren = async (
  scope: Scope,
  rows: readonly ComponentRow[],
  include: ReadonlySet<Include>,
): Promise<Component[]> => {
  const shown = await presentComponents(scope, rows)
  if (!include.has('subComponents')) return shown
  const children = await store.childrenOf(
    scope,
    rows.map(({ id }) => id),
  )
  const subComponents = await presentComponents(scope, children)
  return shown.map((component) => ({
    ...component,
    subComponents: subComponents.filter((one) => one.parentComponentId === component.id),
  }))
}

/** Asks the monitor only where its answer was asked for: without it the rest stays readable. */
const withMonitors = async (
  monitor: Client,
  { caller, requestId }: Pick<Call, 'caller' | 'requestId'>,
  shown: readonly Component[],
  include: ReadonlySet<Include>,
): Promise<Component[]> => {
  const asked = { monitors: include.has('monitors'), checks: include.has('checks') }
  if (!asked.monitors && !asked.checks) return [...shown]
  const componentIds = shown.filter(({ type }) => type === 'ENDPOINT').map(({ id }) => id)
  const checksPerTarget = asked.checks ? RECENT_CHECKS : 0
  const { targets } =
    componentIds.length === 0
      ? { targets: [] }
      : await monitor.call(checkOperations.recent, {
          ...{ body: { componentIds, checksPerTarget }, caller, requestId },
        })
  return shown.map((component) => {
    const target = targets.find(({ componentId }) => componentId === component.id)
    return {
      ...component,
      ...(asked.monitors ? { monitors: target === undefined ? [] : [target.monitor] } : {}),
      ...(asked.checks ? { checks: target?.checks ?? [] } : {}),
    }
  })
}

const NOT_FOUND = 404

const runCheck = async (
  monitor: Client,
  { caller, requestId }: Pick<Call, 'caller' | 'requestId'>,
  id: string,
): Promise<Check> => {
  try {
    return await monitor.call(checkOperations.run, { params: { id }, caller, requestId })
  } catch (error) {
    // The component exists, so the monitor's copy of it is only not there yet.
    if ((error as { status?: number }).status !== NOT_FOUND) throw error
    throw unavailable('The monitor does not know the component yet')
  }
}
