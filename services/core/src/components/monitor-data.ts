/**
 * Current data of ENDPOINT and METRIC components from monitor and integrations: monitors, checks
 * and summaries.
 */
import {
  type Component,
  type ComponentType,
  checkOperations,
  MAX_RECENT_CHECKS,
  type Monitor,
  metricOperations,
  type Reply,
} from '@status-page/contracts'
import { chunksOf } from '@status-page/postgres'
import type { Call, Client } from '@status-page/service'
import { monitorsOf } from './view.ts'

/** Clients of the services that measure components, by component type. */
export interface MonitoringClients {
  /** Client for ENDPOINT components. */
  monitor: Client
  /** Client for METRIC components. */
  integrations: Client
}

export type ComponentInclude = 'subComponents' | 'monitors' | 'checks'

type RequestContext = Pick<Call, 'caller' | 'requestId'>
type RecentOperation = typeof checkOperations.recent | typeof metricOperations.recent
type Recent = Reply<typeof checkOperations.recent>['targets'][number] &
  Partial<Reply<typeof metricOperations.recent>['targets'][number]>

/** Data of a component, with monitor and checks only where they are requested. */
interface Target extends Partial<Recent> {
  componentId: string
  lastCheckAt: string | null
}

/** Timeout of requests for summaries alone; without a response core's copies are shown. */
const SUMMARY_TIMEOUT_MS = 1_000
/** Maximum number of components that one request names. */
const COMPONENTS_PER_REQUEST = 500

/**
 * Adds current summaries, monitors and checks; core's copies of summaries are up to a minute older.
 * When a service does not respond, requests for monitors or checks fail and summaries fall back to
 * core's copies.
 */
export const withMonitorData = async (
  monitoring: MonitoringClients,
  call: RequestContext,
  shown: readonly Component[],
  include: ReadonlySet<ComponentInclude>,
): Promise<Component[]> => {
  const requested = { monitors: include.has('monitors'), checks: include.has('checks') }
  const components = new Map(
    shown
      .flatMap((component) => [component, ...(component.subComponents ?? [])])
      .map((component) => [component.id, component]),
  )
  const targets = await targetsOf(monitoring, call, [...components.values()], requested)
  if (targets.size === 0 && !requested.monitors && !requested.checks) return [...shown]
  return shown.map((component) => {
    const target = targets.get(component.id)
    const known: Monitor | undefined = target?.monitor
    return {
      ...withSummary(component, targets),
      ...(requested.monitors ? { monitors: monitorsOf(component, known) } : {}),
      ...(requested.checks ? { checks: target?.checks ?? [] } : {}),
    }
  })
}

/** Returns one component with its current summary. */
export const withCurrentSummary = async (
  monitoring: MonitoringClients,
  call: RequestContext,
  component: Component,
): Promise<Component> => {
  const [current] = await withMonitorData(monitoring, call, [component], new Set())
  return current as Component
}

const targetsOf = async (
  { monitor, integrations }: MonitoringClients,
  { caller, requestId }: RequestContext,
  components: readonly Component[],
  requested: { monitors: boolean; checks: boolean },
): Promise<Map<string, Target>> => {
  const isRequired = requested.monitors || requested.checks
  const checksPerTarget = requested.checks ? MAX_RECENT_CHECKS : 0
  const context = { caller, requestId, ...(isRequired ? {} : { timeoutMs: SUMMARY_TIMEOUT_MS }) }
  const requestRecent = async (
    client: Client,
    operation: RecentOperation,
    componentIds: string[],
  ): Promise<Target[]> => {
    const body = { componentIds, checksPerTarget }
    const { targets } = await client.call(operation, { ...context, body })
    return targets.map((target) => ({ ...target, lastCheckAt: target.monitor.lastCheckAt }))
  }
  const requestSummaries = async (componentIds: string[]): Promise<Target[]> =>
    (await monitor.call(checkOperations.summaries, { ...context, body: { componentIds } })).targets
  const chunksOfType = (type: ComponentType) => {
    const ids = components.filter((component) => component.type === type).map(({ id }) => id)
    return chunksOf(ids, COMPONENTS_PER_REQUEST)
  }
  const requests = [
    ...chunksOfType('ENDPOINT').map((ids) =>
      isRequired ? requestRecent(monitor, checkOperations.recent, ids) : requestSummaries(ids),
    ),
    ...chunksOfType('METRIC').map((ids) =>
      requestRecent(integrations, metricOperations.recent, ids),
    ),
  ]
  const found = await Promise.all(
    isRequired ? requests : requests.map((request) => request.catch(() => [])),
  )
  return new Map(found.flat().map((target) => [target.componentId, target]))
}

const withSummary = (component: Component, targets: ReadonlyMap<string, Target>): Component => {
  const { subComponents } = component
  return {
    ...component,
    ...summaryOf(targets.get(component.id)),
    ...(subComponents === undefined
      ? {}
      : { subComponents: subComponents.map((subComponent) => withSummary(subComponent, targets)) }),
  }
}

const summaryOf = (target: Target | undefined): Partial<Component> => {
  if (target === undefined) return {}
  const { lastCheckAt, averageResponseTime, lastValue, lastValueAt } = target
  return {
    lastCheckAt,
    ...(averageResponseTime === undefined ? {} : { averageResponseTime }),
    ...(lastValue === undefined ? {} : { lastValue }),
    ...(lastValueAt === undefined ? {} : { lastValueAt }),
  }
}
