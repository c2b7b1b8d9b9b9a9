/**
 * Status of a component: each source writes a claim, and the strongest claim is displayed. A
 * component always has exactly one manual claim (`manual` or `config`), and of two claims the later
 * one has the later time.
 */
import type { ComponentStatus, DerivedStatus, StatusSource } from '@status-page/contracts'

export interface StatusClaim {
  source: StatusSource
  /** Id of the incident or maintenance of the claim; null for other sources. */
  claimantId: string | null
  status: ComponentStatus
  /** ISO 8601 with milliseconds, so that strings compare as times. */
  at: string
}

export type StatusClaims = readonly StatusClaim[]

/**
 * Sources, strongest first. A claim outranks those of weaker sources, and the manual claim if that
 * is older.
 */
const strongerThanManual = ['incident', 'maintenance', 'monitor', 'vendor'] as const

/** Claim that determines the displayed status. */
export const winningClaim = (claims: StatusClaims): StatusClaim => {
  const manual = manualOf(claims)
  for (const source of strongerThanManual) {
    const claim = newest(claims.filter((candidate) => candidate.source === source))
    if (claim !== undefined && claim.at > manual.at) return claim
  }
  return manual
}

/** Claims of a new component. */
export const initialClaims = (
  status: ComponentStatus,
  source: 'manual' | 'config',
  now: Date,
): StatusClaims => [{ source, claimantId: null, status, at: now.toISOString() }]

/** Writes a manual status, which is displayed at once. */
export const setManualClaim = (
  claims: StatusClaims,
  status: ComponentStatus,
  now: Date,
): StatusClaims => write(claims, isManual, { source: 'manual', claimantId: null, status }, now)

/**
 * Writes the status of an open incident; `operational` ends its claim and becomes the manual
 * status.
 */
export const setIncidentClaim = (
  claims: StatusClaims,
  incident: { incidentId: string; status: ComponentStatus },
  now: Date,
): StatusClaims => {
  const { incidentId, status } = incident
  const others = endIncidentClaim(claims, incidentId)
  if (status === 'operational') return setManualClaim(others, status, now)
  return write(others, () => false, { source: 'incident', claimantId: incidentId, status }, now)
}

export const endIncidentClaim = (claims: StatusClaims, incidentId: string): StatusClaims =>
  claims.filter(({ source, claimantId }) => source !== 'incident' || claimantId !== incidentId)

/**
 * Ends the claim of an incident resolved without a status for the component. The manual status
 * becomes operational but keeps its time, so that another incident, a maintenance or a failing
 * check is still displayed.
 */
export const endIncidentClaimAsOperational = (
  claims: StatusClaims,
  incidentId: string,
): StatusClaims =>
  endIncidentClaim(claims, incidentId).map((claim) =>
    isManual(claim) ? { ...claim, status: 'operational' as const } : claim,
  )

/** Writes the claim of an active maintenance; a repeated call keeps the time. */
export const setMaintenanceClaim = (
  claims: StatusClaims,
  maintenanceId: string,
  now: Date,
): StatusClaims => {
  if (claims.some((claim) => isOfMaintenance(claim, maintenanceId))) return claims
  const status = 'under_maintenance' as const
  return write(
    claims,
    () => false,
    { source: 'maintenance', claimantId: maintenanceId, status },
    now,
  )
}

/**
 * Ends the claim of a maintenance. Without `restoreOnComplete` the manual status becomes
 * under_maintenance but keeps its time, so that an incident, another maintenance or a failing check
 * is still displayed.
 */
export const endMaintenanceClaim = (
  claims: StatusClaims,
  maintenance: { maintenanceId: string; restoreOnComplete: boolean },
): StatusClaims => {
  const { maintenanceId, restoreOnComplete } = maintenance
  const others = claims.filter((claim) => !isOfMaintenance(claim, maintenanceId))
  if (restoreOnComplete || others.length === claims.length) return others
  return others.map((claim) =>
    isManual(claim) ? { ...claim, status: 'under_maintenance' as const } : claim,
  )
}

const isOfMaintenance = ({ source, claimantId }: StatusClaim, maintenanceId: string): boolean =>
  source === 'maintenance' && claimantId === maintenanceId

/** Writes the derived status of checks; `operational` removes the claim. */
export const setMonitorClaim = (
  claims: StatusClaims,
  status: DerivedStatus,
  now: Date,
): StatusClaims => setExternalClaim(claims, 'monitor', status, now)

/** Writes the status that a vendor reports; `operational` removes the claim. */
export const setVendorClaim = (
  claims: StatusClaims,
  status: ComponentStatus,
  now: Date,
): StatusClaims =>
  claims.some((claim) => claim.source === 'vendor' && claim.status === status)
    ? claims
    : setExternalClaim(claims, 'vendor', status, now)

const setExternalClaim = (
  claims: StatusClaims,
  source: 'monitor' | 'vendor',
  status: ComponentStatus,
  now: Date,
): StatusClaims => {
  const isOwn = (claim: StatusClaim) => claim.source === source
  if (status === 'operational') return claims.filter((claim) => !isOwn(claim))
  return write(claims, isOwn, { source, claimantId: null, status }, now)
}

const isManual = ({ source }: StatusClaim): boolean => source === 'manual' || source === 'config'

const manualOf = (claims: StatusClaims): StatusClaim => {
  const manual = claims.find(isManual)
  if (manual === undefined) throw new TypeError('The component has no manual status claim')
  return manual
}

const newest = (claims: StatusClaims): StatusClaim | undefined =>
  claims.reduce<StatusClaim | undefined>(
    (best, claim) => (best === undefined || claim.at > best.at ? claim : best),
    undefined,
  )

/**
 * Appends a claim with a later time than all others, since two changes may share a millisecond and
 * a clock may step back.
 */
const write = (
  claims: StatusClaims,
  replaced: (claim: StatusClaim) => boolean,
  claim: Omit<StatusClaim, 'at'>,
  now: Date,
): StatusClaims => {
  const last = newest(claims)?.at
  const time = last === undefined ? now.getTime() : Math.max(now.getTime(), Date.parse(last) + 1)
  return [
    ...claims.filter((previous) => !replaced(previous)),
    { ...claim, at: new Date(time).toISOString() },
  ]
}
