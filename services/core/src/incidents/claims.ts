/** Changes of status claims caused by an incident. Pure; results list only claims that change. */
import type { IncidentComponentStatus } from '@status-page/contracts'
import {
  claimByHand,
  claimByIncident,
  endIncidentClaim,
  type StatusClaims,
  settleIncidentClaim,
} from '../components/status.ts'
import type { ComponentRow, IncidentRow } from '../tables.ts'

export type Statuses = Readonly<Record<string, IncidentComponentStatus>>

/** Existing components, by id. */
export type IncidentComponents = ReadonlyMap<
  string,
  Pick<ComponentRow, 'id' | 'name' | 'status' | 'claims'>
>

export type IncidentClaims = ReadonlyMap<string, StatusClaims>

interface Said {
  /** Incident after the change. */
  incident: Pick<IncidentRow, 'id' | 'status'>
  componentStatuses: Statuses
}

export const claimsOnOpening = (said: Said, live: IncidentComponents, now: Date): IncidentClaims =>
  changed(live, Object.keys(said.componentStatuses), (claims, id) => claim(said, claims, id, now))

/**
 * Removed components lose the claim; a resolution without statuses sets all components operational.
 */
export const claimsOnAmending = (
  amended: Said & { before: readonly string[]; after: readonly string[]; resolves: boolean },
  live: IncidentComponents,
  now: Date,
): IncidentClaims => {
  const { incident, componentStatuses, before, after, resolves } = amended
  const listed = new Set(after)
  const settles = resolves && Object.keys(componentStatuses).length === 0
  return changed(live, [...new Set([...before, ...after])], (claims, id) => {
    if (!listed.has(id)) return endIncidentClaim(claims, incident.id)
    if (settles) return settleIncidentClaim(claims, incident.id)
    const held = resolves ? endIncidentClaim(claims, incident.id) : claims
    return claim(amended, held, id, now)
  })
}

export const claimsOnDeleting = (incidentId: string, live: IncidentComponents): IncidentClaims =>
  changed(live, [...live.keys()], (claims) => endIncidentClaim(claims, incidentId))

/** Open incidents write a claim of their own; resolved ones write the manual claim. */
const claim = (said: Said, claims: StatusClaims, componentId: string, now: Date): StatusClaims => {
  const { incident, componentStatuses } = said
  const status = componentStatuses[componentId]
  if (status === undefined) return claims
  return incident.status === 'resolved'
    ? claimByHand(claims, status, now)
    : claimByIncident(claims, { incidentId: incident.id, status }, now)
}

const changed = (
  live: IncidentComponents,
  ids: readonly string[],
  change: (claims: StatusClaims, id: string) => StatusClaims,
): IncidentClaims =>
  new Map(
    ids.flatMap((id): [string, StatusClaims][] => {
      const claims = live.get(id)?.claims
      if (claims === undefined) return []
      const after = change(claims, id)
      return JSON.stringify(after) === JSON.stringify(claims) ? [] : [[id, after]]
    }),
  )
