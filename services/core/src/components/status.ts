/**
 * Who decides what a component shows: each source keeps a claim, and one claim wins.
 * A component always has exactly one manual claim (`manual` or `config`), and of two claims the one
 * written later has the later time.
 */
import type { ComponentStatus, DerivedStatus, StatusSource } from '@status-page/contracts'

export interface StatusClaim {
  source: StatusSource
  /** The incident or maintenance that claims; null for the other sources. */
  claimantId: string | null
  status: ComponentStatus
  /** ISO 8601 with milliseconds, so that texts compare as times. */
  at: string
}

export type StatusClaims = readonly StatusClaim[]

/** Strongest first; each outranks the weaker ones and the manual claim, if newer than the latter. */
const strongerThanManual = ['incident', 'maintenance', 'monitor'] as const

/** The claim that is shown. */
export const shownClaim = (claims: StatusClaims): StatusClaim => {
  const manual = manualOf(claims)
  for (const source of strongerThanManual) {
    const claim = newest(claims.filter((one) => one.source === source))
    if (claim !== undefined && claim.at > manual.at) return claim
  }
  return manual
}

/** What a new component starts with. */
export const firstClaim = (
  status: ComponentStatus,
  source: 'manual' | 'config',
  now: Date,
): StatusClaims => [{ source, claimantId: null, status, at: now.toISOString() }]

/** A value set by hand: it shows at once. */
export const claimByHand = (
  claims: StatusClaims,
  status: ComponentStatus,
  now: Date,
): StatusClaims => write(claims, isManual, { source: 'manual', claimantId: null, status }, now)

/** What an open incident says; `operational` ends its claim and is written as the manual one. */
export const claimByIncident = (
  claims: StatusClaims,
  incident: { incidentId: string; status: ComponentStatus },
  now: Date,
): StatusClaims => {
  const { incidentId, status } = incident
  const others = endIncidentClaim(claims, incidentId)
  if (status === 'operational') return claimByHand(others, status, now)
  return write(others, () => false, { source: 'incident', claimantId: incidentId, status }, now)
}

export const endIncidentClaim = (claims: StatusClaims, incidentId: string): StatusClaims =>
  claims.filter(({ source, claimantId }) => source !== 'incident' || claimantId !== incidentId)

/**
 * An incident resolved without a word on the component: the manual value becomes operational, but
 * keeps its time, so that another incident, a maintenance or a failing check still shows.
 */
export const settleIncidentClaim = (claims: StatusClaims, incidentId: string): StatusClaims =>
  endIncidentClaim(claims, incidentId).map((claim) =>
    isManual(claim) ? { ...claim, status: 'operational' as const } : claim,
  )

/** While a maintenance is active; asked again it keeps its time. */
export const claimByMaintenance = (
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
 * The end of a maintenance. Where it does not restore, the manual value becomes under_maintenance,
 * but keeps its time, so that an incident, another maintenance or a failing check still shows.
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

/** The derived status of checks; there is a claim only while it is not operational. */
export const claimByMonitor = (
  claims: StatusClaims,
  status: DerivedStatus,
  now: Date,
): StatusClaims => {
  const isMonitor = ({ source }: StatusClaim) => source === 'monitor'
  if (status === 'operational') return claims.filter((claim) => !isMonitor(claim))
  return write(claims, isMonitor, { source: 'monitor', claimantId: null, status }, now)
}

const isManual = ({ source }: StatusClaim): boolean => source === 'manual' || source === 'config'

const manualOf = (claims: StatusClaims): StatusClaim => {
  const manual = claims.find(isManual)
  if (manual === undefined) throw new TypeError('A component without a manual claim')
  return manual
}

const newest = (claims: StatusClaims): StatusClaim | undefined =>
  claims.reduce<StatusClaim | undefined>(
    (best, claim) => (best === undefined || claim.at > best.at ? claim : best),
    undefined,
  )

/** Two changes may share a millisecond, and a clock may step back: what is written later wins. */
const write = (
  claims: StatusClaims,
  replaced: (claim: StatusClaim) => boolean,
  claim: Omit<StatusClaim, 'at'>,
  now: Date,
): StatusClaims => {
  const last = newest(claims)?.at
  const time = last === undefined ? now.getTime() : Math.max(now.getTime(), Date.parse(last) + 1)
  return [...claims.filter((one) => !replaced(one)), { ...claim, at: new Date(time).toISOString() }]
}
