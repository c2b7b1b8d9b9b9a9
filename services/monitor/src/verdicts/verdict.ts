/**
 * Combines the statuses of a target's locations, and decides whether its certificate is about to
 * expire. Pure.
 */

import {
  certificateWarningDays,
  DEFAULT_LOCATION,
  type DerivedStatus,
  type ProbeResult,
} from '@status-page/contracts'

/** Locations of a target. */
export interface Locations {
  locations: readonly string[]
  /** Number of locations that must agree; null: more than half. */
  quorum: number | null
}

export const locationsOf = ({ locations }: Locations): readonly string[] =>
  locations.length === 0 ? [DEFAULT_LOCATION] : locations

/**
 * Combines `states` of the locations that have one; a location without a state counts as
 * operational.
 */
export const combine = (target: Locations, states: readonly DerivedStatus[]): DerivedStatus => {
  const { length } = locationsOf(target)
  const quorum = Math.min(target.quorum ?? Math.floor(length / 2) + 1, length)
  const down = states.filter((status) => status === 'major_outage').length
  const bad = states.filter((status) => status !== 'operational').length
  if (down >= quorum) return 'major_outage'
  return bad >= quorum ? 'degraded_performance' : 'operational'
}

/** True for results of checks that began before the end of a maintenance. */
export const isSuppressed = (
  { suppressedUntil }: { suppressedUntil: Date | null },
  checkedAt: Date,
): boolean => suppressedUntil !== null && checkedAt < suppressedUntil

export interface Warned {
  expiresAt: Date
  /** Smallest of `certificateWarningDays` that was warned about. */
  days: number
}

export interface Certificate {
  /** Expiry of the certificate last seen from a location. */
  expiresAt: Date | null
  /** Last warning, from any location. */
  warned: Warned | null
}

export const warnedOf = (expiresAt: Date | null, days: number | null): Warned | null =>
  expiresAt === null || days === null ? null : { expiresAt, days }

export interface CertificateChange {
  certificate: Certificate
  /** Whole days left when a warning is due. */
  daysLeft: number | null
}

const DAY_MS = 86_400_000

/** Returns null without a change, so that nothing is written. */
export const evaluateCertificate = (
  known: Certificate,
  { certificateExpiresAt, error, checkedAtMs }: Seen,
): CertificateChange | null => {
  if (certificateExpiresAt === null) {
    // Only a response without TLS proves that there is no certificate.
    if (known.expiresAt === null || error !== null) return null
    return { certificate: { ...known, expiresAt: null }, daysLeft: null }
  }
  const expiresAt = new Date(certificateExpiresAt)
  const daysLeft = Math.max(0, Math.floor((expiresAt.getTime() - checkedAtMs) / DAY_MS))
  const days = Math.min(...certificateWarningDays.filter((mark) => daysLeft < mark))
  const isDue =
    Number.isFinite(days) && isWarningDue(known.warned, { expiresAt, days }, checkedAtMs)
  if (!isDue && known.expiresAt?.getTime() === expiresAt.getTime()) return null
  const warned = isDue ? { expiresAt, days } : known.warned
  return { certificate: { expiresAt, warned }, daysLeft: isDue ? daysLeft : null }
}

type Seen = Pick<ProbeResult, 'certificateExpiresAt' | 'error' | 'checkedAtMs'>

/**
 * Hosts that present several certificates in turn are warned about once: the earliest expiry
 * counts.
 */
const isWarningDue = (
  warned: Warned | null,
  { expiresAt, days }: Warned,
  nowMs: number,
): boolean => {
  if (warned === null || expiresAt < warned.expiresAt || days < warned.days) return true
  return warned.expiresAt.getTime() <= nowMs && expiresAt > warned.expiresAt
}
