/** Validation of the targets of checks: whether the outbound client may connect to them. */
import {
  checkSchemes,
  type Issue,
  isPrivateLocation,
  probeKindOf,
  type UpstreamInput,
} from '@status-page/contracts'
import { checkUrl, type OutboundPolicy, resolveUrl, validateAddresses } from '@status-page/outbound'
import { mapCooperatively, runCooperatively } from '@status-page/service'
import { getDomain } from 'tldts'

const options = { schemes: checkSchemes }

export interface TargetField {
  /** Path of the field in the request. */
  field: string
  url: string
  /** Whether only agents connect to it, to the addresses that their own list allows. */
  isPrivate: boolean
}

interface EndpointFields {
  url?: unknown
  locations?: readonly string[] | null
  upstream?: UpstreamInput | null
}

/**
 * Targets in the fields of a component; `path` is that of the component in the request. `stored` are
 * the fields before a change, which may make the stored target one of a public location.
 */
export const targetsIn = (
  fields: object,
  path = '',
  stored: object | null = null,
): TargetField[] => {
  const { url: changed, locations, upstream } = fields as EndpointFields
  const { url: known, locations: knownLocations } = (stored ?? {}) as EndpointFields
  const isPrivate = hasAgentsOnly(locations ?? knownLocations)
  const isOpened = !isPrivate && hasAgentsOnly(knownLocations)
  const url = changed ?? (isOpened ? known : undefined)
  return [
    ...(typeof url === 'string' ? [{ field: `${path}url`, url, isPrivate }] : []),
    ...(upstream == null
      ? []
      : [{ field: `${path}upstream.url`, url: upstream.url, isPrivate: false }]),
  ]
}

const hasAgentsOnly = (locations: readonly string[] | null = []): boolean =>
  locations !== null && locations.length > 0 && locations.every(isPrivateLocation)

/**
 * Issues of the targets without DNS. Runs cooperatively: the first thousand targets of a process
 * take 27 ms of processor time.
 */
export const checkTargets = async (
  targets: readonly TargetField[],
  policy: OutboundPolicy,
): Promise<Issue[]> => {
  const checks = mapCooperatively(targets, (target) => checkTarget(target, policy))
  return (await runCooperatively(checks)).flat()
}

const checkTarget = ({ field, url, isPrivate }: TargetField, policy: OutboundPolicy): Issue[] => {
  const verdict = checkUrl(url, policy, options)
  if (!verdict.ok && verdict.reason === 'blocked' && isPrivate) return []
  const message = verdict.ok ? registrationProblem(verdict.url) : verdict.message
  return message === null ? [] : [{ field, message: `${field} ${message}` }]
}

/** Problem of a `domain` URL, which must name a domain below a public suffix. */
const registrationProblem = (url: URL): string | null => {
  if (!isDomain(url.href)) return null
  const registered = getDomain(url.hostname)
  if (registered === url.hostname) return null
  return registered === null
    ? 'must name a domain that can be registered'
    : `must name the registered domain ${registered}`
}

/** A domain check sends the name to its registry and connects to no address of the domain. */
const isDomain = (url: string): boolean => probeKindOf({ url }) === 'domain'

/** Issues of the targets, also by the addresses that DNS returns; looks up each origin once. */
export const resolveTargets = async (
  targets: readonly TargetField[],
  policy: OutboundPolicy,
): Promise<Issue[]> => {
  const issues = await checkTargets(targets, policy)
  if (issues.length > 0) return issues
  const resolvable = targets.filter(({ url, isPrivate }) => !isPrivate && !isDomain(url))
  const origins = new Map(resolvable.map((target) => [originOf(target), target]))
  const problems = new Map<string, string>()
  await validateAddresses(origins, async ([origin, { url }], mayResolve) => {
    if (!mayResolve) return
    const verdict = await resolveUrl(url, policy, options)
    if (!verdict.ok) problems.set(origin, verdict.message)
  })
  return targets.flatMap((target): Issue[] => {
    const { field, isPrivate } = target
    const problem = isPrivate ? undefined : problems.get(originOf(target))
    return problem === undefined ? [] : [{ field, message: `${field} ${problem}` }]
  })
}

const originOf = ({ url }: TargetField): string => {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}
