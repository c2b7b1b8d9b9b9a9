/** What is known elsewhere of components that are checked or measured: their monitors and checks. */
import {
  type Component,
  type ComponentType,
  checkOperations,
  type Monitor,
  metricOperations,
  RECENT_CHECKS,
  type Reply,
} from '@status-page/contracts'
import type { Call, Client } from '@status-page/service'
import { monitorsOf } from './view.ts'

/** Who answers for components, by their type. */
export interface Monitoring {
  /** Of ENDPOINT components. */
  monitor: Client
  /** Of METRIC components. */
  integrations: Client
}

export type Include = 'subComponents' | 'monitors' | 'checks'

type Asking = Pick<Call, 'caller' | 'requestId'>
type Target = Reply<typeof checkOperations.recent>['targets'][number] &
  Partial<Reply<typeof metricOperations.recent>['targets'][number]>

/** Asks only where the answer was asked for: without it the rest stays readable. */
export const withMonitors = async (
  { monitor, integrations }: Monitoring,
  call: Asking,
  shown: readonly Component[],
  include: ReadonlySet<Include>,
): Promise<Component[]> => {
  const asked = { monitors: include.has('monitors'), checks: include.has('checks') }
  if (!asked.monitors && !asked.checks) return [...shown]
  const checksPerTarget = asked.checks ? RECENT_CHECKS : 0
  const ask = async (
    type: ComponentType,
    client: Client,
    operation: typeof checkOperations.recent | typeof metricOperations.recent,
  ): Promise<Target[]> => {
    const componentIds = shown.filter((one) => one.type === type).map(({ id }) => id)
    if (componentIds.length === 0) return []
    const { caller, requestId } = call
    const question = { body: { componentIds, checksPerTarget }, caller, requestId }
    return (await client.call(operation, question)).targets
  }
  const found = await Promise.all([
    ask('ENDPOINT', monitor, checkOperations.recent),
    ask('METRIC', integrations, metricOperations.recent),
  ])
  const byId = new Map(found.flat().map((target) => [target.componentId, target]))
  return shown.map((component) => {
    const target = byId.get(component.id)
    const known: Monitor | undefined = target?.monitor
    return {
      ...component,
      ...currentFields(target),
      ...(asked.monitors ? { monitors: monitorsOf(component, known) } : {}),
      ...(asked.checks ? { checks: target?.checks ?? [] } : {}),
    }
  })
}

/**
 * The read-only fields as the service that measures knows them now: core's copies are up to a minute
 * older than the monitors and checks of the same answer.
 */
const currentFields = (target: Target | undefined): Partial<Component> => {
  if (target === undefined) return {}
  const { averageResponseTime, lastValue, lastValueAt } = target
  return {
    lastCheckAt: target.monitor.lastCheckAt,
    ...(averageResponseTime === undefined ? {} : { averageResponseTime }),
    ...(lastValue === undefined ? {} : { lastValue }),
    ...(lastValueAt === undefined ? {} : { lastValueAt }),
  }
}
