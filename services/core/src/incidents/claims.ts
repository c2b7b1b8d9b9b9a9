/** What an incident does to the claims of its components. Pure; only claims that change are named. */
import type { IncidentComponentStatus } from '@status-page/contracts'
import {
  type Claims,
  claimByHand,
  claimByIncident,
  endIncidentClaim,
  settleIncidentClaim,
} from '../components/status.ts'
import type { ComponentRow, IncidentRow } from '../tables.ts'

export type Statuses = Readonly<Record<string, IncidentComponentStatus>>

/** Components that exist, by id. */
export type Live = ReadonlyMap<string, Pick<ComponentRow, 'id' | 'name' | 'status' | 'claims'>>

export type ClaimsById = ReadonlyMap<string, Claims>

interface Said {
  /** As it is after the change. */
  incident: Pick<IncidentRow, 'id' | 'status'>
  componentStatuses: Statuses
}

export const claimsOnOpening = (said: Said, live: Live, now: Date): ClaimsById =>
  changed(live, Object.keys(said.componentStatuses), (claims, id) => claim(said, claims, id, now))

/** Dropped components lose the claim; a resolution without a word on any sets all operational. */
export const claimsOnAmending = (
  amended: Said & { before: readonly string[]; after: readonly string[]; resolves: boolean },
  live: Live,
  now: Date,
): ClaimsById => {
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

export const claimsOnDeleting = (incidentId: string, live: Live): ClaimsById =>
  changed(live, [...live.keys()], (claims) => endIncidentClaim(claims, incidentId))

/** While it is open an incident claims; a resolved one writes by hand. */
const claim = (said: Said, claims: Claims, componentId: string, now: Date): Claims => {
  const { incident, componentStatuses } = said
  const status = componentStatuses[componentId]
  if (status === undefined) return claims
  return incident.status === 'resolved'
    ? claimByHand(claims, status, now)
    : claimByIncident(claims, { incidentId: incident.id, status }, now)
}

const changed = (
  live: Live,
  ids: readonly string[],
  change: (claims: Claims, id: string) => Claims,
): ClaimsById =>
  new Map(
    ids.flatMap((id): [string, Claims][] => {
      const claims = live.get(id)?.claims
      if (claims === undefined) return []
      const after = change(claims, id)
      return JSON.stringify(after) === JSON.stringify(claims) ? [] : [[id, after]]
    }),
  )
