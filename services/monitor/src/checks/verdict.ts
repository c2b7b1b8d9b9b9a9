/**
 * What the locations of a target say together, whether that flaps, and whether its certificate is
 * about to end. Pure.
 */
import {
  certificateWarningDays,
  DEFAULT_LOCATION,
  type DerivedStatus,
} from '@status-page/contracts'

/** Where a target is checked from. */
export interface Locations {
  locations: readonly string[]
  /** Locations that must agree; null: more than half of them. */
  quorum: number | null
}

export const locationsOf = ({ locations }: Locations): readonly string[] =>
  locations.length === 0 ? [DEFAULT_LOCATION] : locations

/** `states`: of the locations that have one; another one has seen nothing wrong. */
export const combine = (target: Locations, states: readonly DerivedStatus[]): DerivedStatus => {
  const { length } = locationsOf(target)
  const quorum = Math.min(target.quorum ?? Math.floor(length / 2) + 1, length)
  const down = states.filter((status) => status === 'major_outage').length
  const bad = states.filter((status) => status !== 'operational').length
  if (down >= quorum) return 'major_outage'
  return bad >= quorum ? 'degraded_performance' : 'operational'
}

/** As many changes within this time are no longer news each. */
export const FLAP_CHANGES = 4
const FLAP_WINDOW_MS = 30 * 60_000
const FLAP_STABLE_MS = 15 * 60_000

/** The times of the last changes with a new one, oldest first. */
export const withChange = (changedAt: readonly Date[], at: Date): Date[] =>
  [...changedAt, at].slice(-FLAP_CHANGES)

/** Until it has been stable for a while. */
export const isFlapping = (changedAt: readonly Date[], now: Date): boolean => {
  const [first] = changedAt.slice(-FLAP_CHANGES)
  const last = changedAt.at(-1)
  if (first === undefined || last === undefined || changedAt.length < FLAP_CHANGES) return false
  const isQuick = last.getTime() - first.getTime() <= FLAP_WINDOW_MS
  return isQuick && now.getTime() - last.getTime() < FLAP_STABLE_MS
}

export interface Certificate {
  expiresAt: Date | null
  /** The least of `certificateWarningDays` that was warned of; null before the first. */
  warnedDays: number | null
}

export interface CertificateNews {
  certificate: Certificate
  /** Whole days that are left, where it is time to say so. */
  daysLeft: number | null
}

const DAY_MS = 86_400_000

/** Null where nothing is new: then nothing is written. */
export const judgeCertificate = (
  known: Certificate,
  seenExpiresAt: Date | null,
  now: Date,
): CertificateNews | null => {
  if (seenExpiresAt === null) return null
  const isSame = known.expiresAt?.getTime() === seenExpiresAt.getTime()
  const warned = isSame ? known.warnedDays : null
  const daysLeft = Math.max(0, Math.floor((seenExpiresAt.getTime() - now.getTime()) / DAY_MS))
  const reached = certificateWarningDays.filter((days) => daysLeft < days)
  const warnedDays = reached.length === 0 ? null : Math.min(...reached)
  const isTime = warnedDays !== null && (warned === null || warnedDays < warned)
  if (isSame && !isTime) return null
  const certificate = { expiresAt: seenExpiresAt, warnedDays: isTime ? warnedDays : warned }
  return { certificate, daysLeft: isTime ? daysLeft : null }
}
