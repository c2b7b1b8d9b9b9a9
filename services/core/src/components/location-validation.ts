/** Validation of the locations of checks: whether each has a monitor that can make the check. */
import {
  agentKinds,
  checkOperations,
  DEFAULT_LOCATION,
  type Issue,
  isPrivateLocation,
  probeKindOf,
  throwIssues,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import type { Call, Client } from '@status-page/service'
import { shareLockOnPrivateLocations } from './store.ts'

export interface LocationFields {
  /** Path of the component in the request, with its dot; empty for the request itself. */
  path: string
  url?: unknown
  locations?: readonly string[] | null | undefined
}

/**
 * Issues of locations without a replica, from which no check would ever run, of checks that agents
 * do not make, and of ICMP checks from locations without `ping`.
 */
export const locationIssues = async (
  components: readonly LocationFields[],
  monitor: Client,
  { caller, requestId }: Pick<Call, 'caller' | 'requestId'>,
): Promise<Issue[]> => {
  const affected = components.filter(
    (component) => (component.locations ?? []).length > 0 || probeKindOf(component) === 'icmp',
  )
  if (affected.length === 0) return []
  const live = await monitor.call(checkOperations.locations, { caller, requestId })
  return affected.flatMap((component) => issuesOf(component, live))
}

/**
 * Validates private locations again in the transaction that names them, and makes their deletion
 * wait for it: the deletion of a location and its first component are never both committed.
 */
export const lockPrivateLocations = async (
  scope: Scope,
  components: readonly LocationFields[],
  monitor: Client,
  { caller, requestId }: Pick<Call, 'caller' | 'requestId'>,
): Promise<void> => {
  const affected = components.filter(({ locations }) => locations?.some(isPrivateLocation))
  if (affected.length === 0) return
  await shareLockOnPrivateLocations(scope)
  const { locations } = await monitor.call(checkOperations.locations, { caller, requestId })
  throwIssues(affected.flatMap((component) => unknownLocations(component, locations)))
}

const unknownLocations = (
  { path, locations: wanted }: LocationFields,
  live: readonly string[],
): Issue[] =>
  (wanted ?? []).flatMap((location, index): Issue[] => {
    const field = `${path}locations[${index}]`
    const message = `${field} has no active monitor`
    return live.includes(location) ? [] : [{ field, message, expected: [...live] }]
  })

const issuesOf = (
  component: LocationFields,
  { locations: live, icmpLocations }: { locations: string[]; icmpLocations: string[] },
): Issue[] => {
  const { path } = component
  const wanted = component.locations ?? []
  const issues = unknownLocations(component, live)
  const kind = probeKindOf(component)
  const privateIndex = wanted.findIndex(isPrivateLocation)
  if (privateIndex >= 0 && !agentKinds.some((agentKind) => agentKind === kind)) {
    const field = `${path}locations[${privateIndex}]`
    issues.push({ field, message: `${field} has agents, which make no checks of kind ${kind}` })
  }
  if (issues.length > 0 || kind !== 'icmp') return issues
  const incapable = (wanted.length === 0 ? [DEFAULT_LOCATION] : wanted).find(
    (location) => !icmpLocations.includes(location),
  )
  if (incapable === undefined) return []
  const message = `url requires the program ping, which the location ${incapable} does not have`
  return [{ field: `${path}url`, message }]
}
