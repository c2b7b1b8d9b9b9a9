/** Operations of components. */
import {
  type Check,
  type Component,
  type ComponentPatch,
  checkOperations,
  componentOperations,
  invalid,
  listReply,
  type Query,
  throwIssues,
  type Uptime,
} from '@status-page/contracts'
import type { OutboundPolicy } from '@status-page/outbound'
import type { Scope } from '@status-page/postgres'
import { type Call, type Client, createRoutes, type Route } from '@status-page/service'
import type { ComponentRow } from '../tables.ts'
import { checkTimeRange } from '../time-range.ts'
import * as changes from './changes.ts'
import { impactOf } from './impact/impact.ts'
import { locationIssues, lockPrivateLocations } from './location-validation.ts'
import {
  type ComponentInclude,
  type MonitoringClients,
  withCurrentSummary,
  withMonitorData,
} from './monitor-data.ts'
import { moveComponents } from './moves.ts'
import * as store from './store.ts'
import { resolveTargets, targetsIn } from './target-validation.ts'
import { fieldsOfOtherTypes, hasTypeSpecificFields, omitFields } from './type-fields.ts'
import { untilProjected } from './until-projected.ts'
import { listStatusPeriods, statusHistoryOfDays, statusPeriodsInSpan } from './uptime/history.ts'
import { UPTIME_DAYS } from './uptime/uptime.ts'
import { requestedSpan, uptimeReport } from './uptime/uptime-report.ts'
import { componentsOf, presentComponents, presentStatusPeriod } from './view.ts'

export interface ComponentDeps extends MonitoringClients, changes.ComponentChangeDeps {
  policy: OutboundPolicy
  /** Catches up the projection of the organization's integrations; false when that fails. */
  areIntegrationsUpToDate(organizationId: string): Promise<boolean>
}

export const componentRoutes = (deps: ComponentDeps): Route[] => {
  const { sealer, monitor } = deps
  return createRoutes(componentOperations, {
    list: async (call) => {
      const { query } = call
      const include = includedIn(query)
      const present = include.has('subComponents') ? withChildren : presentComponents
      const { shown, total } = await call.readPipelined(
        (scope) => store.listComponents(scope, query),
        async (scope, { rows, total }) => ({ shown: await present(scope, rows), total }),
      )
      return listReply(query, total, await withMonitorData(deps, call, shown, include))
    },

    create: (call) => createOne(call, deps),

    bulk: async (call) => {
      const { body, change } = call
      const updated = await change((scope) => changes.updateComponents(scope, body.updates, deps))
      const data = await withMonitorData(deps, call, updated, new Set())
      return { data, meta: { total: data.length, page: 1, pageSize: data.length } }
    },

    place: (call) => placeAll(call, deps),

    read: async (call) => {
      const include = new Set<ComponentInclude>(call.query.include)
      const shown = include.has('subComponents')
        ? await readWithChildren(call)
        : await readAlone(call)
      const [component] = await withMonitorData(deps, call, shown, include)
      return component as Component
    },

    update: (call) => updateOne(call, deps),

    remove: ({ params, change }) =>
      change((scope) => changes.deleteComponent(scope, params.id, deps)),

    clone: ({ params, change }) =>
      change((scope) => changes.copyComponent(scope, params.id, sealer)),

    impact: ({ params, query, read }) =>
      read(async (scope) => {
        const { data, total } = await impactOf(scope, params.id, query)
        return listReply(query, total, data)
      }),

    statusHistory: (call) => statusHistoryOf(call),

    uptime: ({ params, query, read }) => read((scope) => uptimeOf(scope, params.id, query)),

    check: (call) => checkNow(call, monitor),
  })
}

const placeAll = async (call: Call<typeof componentOperations.place>, deps: ComponentDeps) => {
  const placed = await call.change((scope) => moveComponents(scope, call.body, deps))
  return { data: await withMonitorData(deps, call, placed, new Set()) }
}

const createOne = async (
  call: Call<typeof componentOperations.create>,
  deps: ComponentDeps,
): Promise<Component> => {
  const { body, actor, change } = call
  await validateNew(call, deps)
  const source = actor.type === 'config_sync' ? 'config' : 'manual'
  return change(async (scope) => {
    await lockPrivateLocations(scope, [{ path: '', ...body }], deps.monitor, call)
    return changes.createComponent(scope, body, { ...deps, source })
  })
}

const updateOne = async (
  call: Call<typeof componentOperations.update>,
  deps: ComponentDeps,
): Promise<Component> => {
  const patch = await validatedPatch(call, deps)
  const updated = await call.change(async (scope) => {
    await lockPrivateLocations(scope, [{ path: '', ...patch }], deps.monitor, call)
    const change = { id: call.params.id, patch, ifMatch: call.ifMatch }
    return changes.updateComponent(scope, change, deps)
  })
  return withCurrentSummary(deps, call, updated)
}

const checkNow = async (
  call: Call<typeof componentOperations.check>,
  monitor: ComponentDeps['monitor'],
) => {
  const row = await call.read((scope) => store.findComponent(scope, call.params.id))
  if (row.endpoint === null) {
    throw invalid({ field: 'type', message: 'Only ENDPOINT components can be checked' })
  }
  if (row.endpoint.kind === 'heartbeat') {
    throw invalid({ field: 'kind', message: 'A heartbeat waits for pings and cannot be checked' })
  }
  const check = await runCheck(monitor, call, row)
  const { id: _id, componentId: _component, success, trigger: _trigger, ...result } = check
  return { success, result }
}

/** Drops fields of other types and validates the remaining ones, now that the type is known. */
const validatedPatch = async (
  call: Call<typeof componentOperations.update>,
  { policy, monitor, areIntegrationsUpToDate }: ComponentDeps,
): Promise<ComponentPatch> => {
  if (!hasTypeSpecificFields(call.body)) return call.body
  const { type, endpoint } = await call.read((scope) => store.findComponent(scope, call.params.id))
  const ignored = fieldsOfOtherTypes(type)
  throwIssues(call.issuesExcept(ignored))
  const patch = omitFields(call.body, ignored)
  throwIssues(await resolveTargets(targetsIn(patch, '', endpoint), policy))
  if (patch.url !== undefined || patch.locations !== undefined) {
    const { url, locations } = { ...endpoint, ...patch }
    throwIssues(await locationIssues([{ path: '', url, locations }], monitor, call))
  }
  if (patch.integrationId !== undefined) await areIntegrationsUpToDate(call.organizationId)
  return patch
}

const statusHistoryOf = async ({
  params,
  query,
  read,
}: Call<typeof componentOperations.statusHistory>) => {
  checkTimeRange(query)
  return read(async (scope) => {
    await store.findComponent(scope, params.id)
    const { rows, total } = await listStatusPeriods(scope, params.id, query)
    const periods = rows.map((row) => presentStatusPeriod(row, scope.now))
    return listReply(query, total, periods)
  })
}

const uptimeOf = async (
  scope: Scope,
  id: string,
  query: Query<typeof componentOperations.uptime>,
): Promise<Uptime> => {
  const requested = requestedSpan(query, scope.now)
  const component = await store.findComponent(scope, id)
  const histories = await statusPeriodsInSpan(scope, [id], requested)
  return uptimeReport({
    component,
    requested,
    timezone: query.timezone ?? 'UTC',
    now: scope.now,
    intervals: histories.get(id) ?? [],
  })
}

const includedIn = (query: Query<typeof componentOperations.list>): Set<ComponentInclude> => {
  if (query.parentId !== undefined && query.topLevelOnly === true) {
    throw invalid({
      field: 'parentId',
      message: 'parentId and topLevelOnly are mutually exclusive',
    })
  }
  return new Set([
    ...(query.include ?? []),
    ...(query.includeChecks === true ? ['checks' as const] : []),
  ])
}

const validateNew = async (
  call: Call<typeof componentOperations.create>,
  { policy, monitor, areIntegrationsUpToDate }: ComponentDeps,
): Promise<void> => {
  const { body, organizationId } = call
  if (body.type === 'METRIC') await areIntegrationsUpToDate(organizationId)
  throwIssues(await resolveTargets(targetsIn(body), policy))
  throwIssues(await locationIssues([{ path: '', ...body }], monitor, call))
}

type ReadCall = Call<typeof componentOperations.read>

const readWithChildren = ({ params, readPipelined }: ReadCall): Promise<Component[]> =>
  readPipelined(
    (scope) => store.findComponent(scope, params.id),
    (scope, row) => withChildren(scope, [row]),
  )

const readAlone = async ({ params: { id }, readAtOnce }: ReadCall): Promise<Component[]> => {
  const { now, loaded } = await readAtOnce((scope, processNow) =>
    Promise.all([
      store.findComponent(scope, id),
      statusHistoryOfDays(scope, [id], { days: UPTIME_DAYS, processNow }),
    ]),
  )
  const [row, histories] = loaded
  return componentsOf([row], histories, now)
}

const withChildren = async (scope: Scope, rows: readonly ComponentRow[]): Promise<Component[]> => {
  const ids = rows.map(({ id }) => id)
  const children = await store.childrenOf(scope, ids)
  const shown = await presentComponents(scope, [...rows, ...children])
  const subComponents = Map.groupBy(shown.slice(rows.length), (row) => row.parentComponentId)
  return shown
    .slice(0, rows.length)
    .map((component) => ({ ...component, subComponents: subComponents.get(component.id) ?? [] }))
}

const runCheck = (
  monitor: Client,
  { caller, requestId }: Pick<Call, 'caller' | 'requestId'>,
  { id, version }: ComponentRow,
): Promise<Check> =>
  untilProjected(() =>
    monitor.call(checkOperations.run, { params: { id }, body: { version }, caller, requestId }),
  )
