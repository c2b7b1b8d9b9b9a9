/** Changes of status claims caused by an incident. Pure; results list only claims that change. */
import type { IncidentComponentStatus } from '@status-page/contracts'
import {
  endIncidentClaim,
  endIncidentClaimAsOperational,
  type StatusClaims,
  setIncidentClaim,
  setManualClaim,
} from '../components/status.ts'
import type { ComponentRow, IncidentRow } from '../tables.ts'

export type StatusByComponentId = Readonly<Record<string, IncidentComponentStatus>>

/** Existing components, by id. */
export type IncidentComponents = ReadonlyMap<
  string,
  Pick<ComponentRow, 'id' | 'name' | 'status' | 'claims'>
>

export type IncidentClaims = ReadonlyMap<string, StatusClaims>

interface ReportedStatuses {
  /** Incident after the change. */
  incident: Pick<IncidentRow, 'id' | 'status'>
  componentStatuses: StatusByComponentId
}

export const claimsOnCreation = (
  reported: ReportedStatuses,
  live: IncidentComponents,
  now: Date,
): IncidentClaims =>
  changedClaims(live, Object.keys(reported.componentStatuses), (claims, id) =>
    claimStatus(reported, claims, id, now),
  )

/**
 * Removed components lose the claim; a resolution without statuses sets all components operational.
 */
export const claimsOnEdit = (
  edited: ReportedStatuses & {
    before: readonly string[]
    after: readonly string[]
    resolves: boolean
  },
  live: IncidentComponents,
  now: Date,
): IncidentClaims => {
  const { incident, componentStatuses, before, after, resolves } = edited
  const listed = new Set(after)
  const settles = resolves && Object.keys(componentStatuses).length === 0
  return changedClaims(live, [...new Set([...before, ...after])], (claims, id) => {
    if (!listed.has(id)) return endIncidentClaim(claims, incident.id)
    if (settles) return endIncidentClaimAsOperational(claims, incident.id)
    const remaining = resolves ? endIncidentClaim(claims, incident.id) : claims
    return claimStatus(edited, remaining, id, now)
  })
}

export const claimsOnDeletion = (incidentId: string, live: IncidentComponents): IncidentClaims =>
  changedClaims(live, [...live.keys()], (claims) => endIncidentClaim(claims, incidentId))

/** Open incidents write a claim of their own; resolved ones write the manual claim. */
const claimStatus = (
  reported: ReportedStatuses,
  claims: StatusClaims,
  componentId: string,
  now: Date,
): StatusClaims => {
  const { incident, componentStatuses } = reported
  const status = componentStatuses[componentId]
  if (status === undefined) return claims
  return incident.status === 'resolved'
    ? setManualClaim(claims, status, now)
    : setIncidentClaim(claims, { incidentId: incident.id, status }, now)
}

const changedClaims = (
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
