/**
 * Outages and degradations of components with dependencies: whether those of a dependency explain
 * them. Pure.
 * The decision depends on the state at its time and not on the order in which results arrived: an
 * outage is held until every dependency would have been found down, too.
 */
import { type ComponentStatus, type DerivedStatus, waitsForPush } from '@status-page/contracts'
import {
  type Dependencies,
  farthestDependency,
  reachableFrom,
} from '../../components/dependencies/graph.ts'
import type { ComponentRow, DependentOutageRow } from '../../tables.ts'

/** Maximum time for which the decision on an outage is held. */
const MAX_HOLD_MS = 600_000
/** Time for the result of a check to arrive. */
const ARRIVAL_MS = 5_000
const SECOND_MS = 1_000

type Outage = Pick<DependentOutageRow, 'componentId' | 'causeId' | 'decideAt' | 'monitor'>
type Component = Pick<
  ComponentRow,
  'id' | 'status' | 'claims' | 'isEnabled' | 'endpoint' | 'metric'
>

export interface OutageContext<Row extends Outage = Outage> {
  outages: readonly Row[]
  dependencies: Dependencies
  /** The components of the outages, and all that they depend on. */
  components: ReadonlyMap<string, Component>
  /** Open incident that lists the component. */
  incidentIds: ReadonlyMap<string, string>
}

export interface OutageDecisions<Row extends Outage> {
  /** The component does not fail any more, or its checks have ended. */
  ended: Row[]
  /** The incident lists the component; a degradation has none. */
  attributed: { outage: Row; causeId: string; incidentId: string | null }[]
  /** Outages without a cause; those of one group share an incident. The earliest is first. */
  confirmed: Row[][]
  /** Outages whose cause has ended; they are decided again once they had the time to end, too. */
  released: { outage: Row; decideAt: Date }[]
}

/** Statuses of a dependency that explain the status of its dependents. */
export const explainingStatuses: Record<DerivedStatus, readonly ComponentStatus[]> = {
  major_outage: ['major_outage'],
  degraded_performance: ['major_outage', 'partial_outage', 'degraded_performance'],
  operational: [],
}

type Reported = Pick<Outage, 'monitor'>

export const isOutage = ({ monitor }: Reported): boolean => monitor.derivedStatus === 'major_outage'

const explains = ({ status, claims, isEnabled }: Component, { monitor }: Reported): boolean => {
  const statuses = explainingStatuses[monitor.derivedStatus]
  return isEnabled && (statuses.includes(status) || isReported(claims, statuses))
}

const isReported = (claims: Component['claims'], statuses: readonly ComponentStatus[]): boolean =>
  claims.some(({ source, status }) => source === 'monitor' && statuses.includes(status))

/** Time at which every dependency would have been found down, if it failed at the same time. */
export const firstDecisionAt = (
  outage: Reported,
  dependencies: readonly Component[],
  now: Date,
): Date => {
  if (dependencies.some((dependency) => explains(dependency, outage))) return now
  const detection = Math.max(
    0,
    ...dependencies.map((dependency) => checkTimeMs(dependency, 'failureThreshold')),
  )
  const since = Date.parse(outage.monitor.since)
  const time = since + (detection === 0 ? 0 : detection + ARRIVAL_MS)
  return new Date(Math.min(Math.max(time, now.getTime()), now.getTime() + MAX_HOLD_MS))
}

/** Time from a change to the result of the check that completes a threshold; 0 without checks. */
const checkTimeMs = (
  { isEnabled, endpoint, metric }: Component,
  threshold: 'failureThreshold' | 'recoveryThreshold',
): number => {
  if (!isEnabled) return 0
  if (metric !== null) return metric.pollingInterval * SECOND_MS
  if (endpoint === null || waitsForPush(endpoint)) return 0
  return endpoint.checkInterval * SECOND_MS * endpoint[threshold] + endpoint.timeout
}

export const decideOutages = <Row extends Outage>(
  context: OutageContext<Row>,
  now: Date,
): OutageDecisions<Row> => {
  const { outages, components } = context
  const decisions: OutageDecisions<Row> = { ended: [], attributed: [], confirmed: [], released: [] }
  const isDue = ({ decideAt }: Outage) => decideAt !== null && decideAt <= now
  const open: { outage: Row; group: string; isDue: boolean }[] = []
  for (const outage of outages.filter(({ decideAt }) => decideAt !== null)) {
    const component = components.get(outage.componentId)
    const { derivedStatus } = outage.monitor
    const fails = component?.isEnabled === true && isReported(component.claims, [derivedStatus])
    const root = rootOf(outage, context)
    const incidentId = isOutage(outage) ? context.incidentIds.get(root ?? '') : null
    if (!fails) {
      if (isDue(outage)) decisions.ended.push(outage)
    } else if (root !== null && incidentId !== undefined) {
      if (isDue(outage)) decisions.attributed.push({ outage, causeId: root, incidentId })
    } else {
      const group = `${derivedStatus} ${outage.causeId ?? root ?? outage.componentId}`
      open.push({ outage, group, isDue: isDue(outage) })
    }
  }
  decisions.confirmed = confirmedGroups(open, context.dependencies)
  decisions.released = releasedOutages(context, now)
  return decisions
}

/**
 * Groups with a due outage. An outage of a component that depends on another one with an undecided
 * outage is decided after it: it may be explained by it, or by the same cause.
 */
const confirmedGroups = <Row extends Outage>(
  open: readonly { outage: Row; group: string; isDue: boolean }[],
  dependencies: Dependencies,
): Row[][] => {
  const due = new Set(open.flatMap(({ group, isDue }) => (isDue ? [group] : [])))
  const undecided = new Set(open.map(({ outage }) => outage.componentId))
  const roots = open.filter(({ outage, group }) => {
    const targets = [...reachableFrom(dependencies, outage.componentId).keys()]
    return due.has(group) && targets.every((id) => !undecided.has(id))
  })
  return [...Map.groupBy(roots, ({ group }) => group).values()].map((group) =>
    group.map(({ outage }) => outage).toSorted(byStart),
  )
}

const byStart = (left: Outage, right: Outage): number =>
  left.monitor.since.localeCompare(right.monitor.since) ||
  left.componentId.localeCompare(right.componentId)

/**
 * Component whose outage explains this one: it is down, and its own outage is not explained by
 * another. One with an incident is preferred, then the farthest.
 */
const rootOf = (
  outage: Outage,
  { outages, dependencies, components, incidentIds }: OutageContext,
): string | null => {
  const { componentId } = outage
  const explained = new Set(outages.map(({ componentId }) => componentId))
  const isRoot = (id: string) => {
    const component = components.get(id)
    return component !== undefined && explains(component, outage) && !explained.has(id)
  }
  const hasIncident = (id: string) => isRoot(id) && incidentIds.has(id)
  return (
    farthestDependency(dependencies, componentId, hasIncident) ??
    farthestDependency(dependencies, componentId, isRoot)
  )
}

/** Outages of one cause are decided at one time, so that they share an incident. */
const releasedOutages = <Row extends Outage>(
  { outages, components }: OutageContext<Row>,
  now: Date,
): OutageDecisions<Row>['released'] => {
  const attributed = outages.filter(({ decideAt }) => decideAt === null)
  return [...Map.groupBy(attributed, ({ causeId }) => causeId)].flatMap(([causeId, explained]) => {
    const cause = components.get(causeId ?? '')
    const unexplained = explained.filter(
      (outage) => cause === undefined || !explains(cause, outage),
    )
    const recovery = unexplained.map(({ componentId }) => {
      const component = components.get(componentId)
      return component === undefined ? 0 : checkTimeMs(component, 'recoveryThreshold')
    })
    const holdMs = Math.min(Math.max(...recovery) + ARRIVAL_MS, MAX_HOLD_MS)
    const decideAt = new Date(now.getTime() + holdMs)
    return unexplained.map((outage) => ({ outage, decideAt }))
  })
}
