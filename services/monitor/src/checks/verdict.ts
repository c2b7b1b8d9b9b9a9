/**
 * What the locations of a target say together, and whether its certificate is about to end. Pure.
 */
import {
  certificateWarningDays,
  DEFAULT_LOCATION,
  type DerivedStatus,
} from '@status-page/contracts'
import type { Result } from './rules.ts'

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

/** Results of checks that were begun before the end of a maintenance. */
export const isSuppressed = (
  { suppressedUntil }: { suppressedUntil: Date | null },
  checkedAt: Date,
): boolean => suppressedUntil !== null && checkedAt < suppressedUntil

export interface Warned {
  expiresAt: Date
  /** The least of `certificateWarningDays` at which it was warned of. */
  days: number
}

export interface Certificate {
  /** Of the certificate seen last from a location. */
  expiresAt: Date | null
  /** What was warned of last, wherever it was seen. */
  warned: Warned | null
}

export const warnedOf = (expiresAt: Date | null, days: number | null): Warned | null =>
  expiresAt === null || days === null ? null : { expiresAt, days }

export interface CertificateNews {
  certificate: Certificate
  /** Whole days that are left, where it is time to say so. */
  daysLeft: number | null
}

const DAY_MS = 86_400_000

/** Null where nothing is new: then nothing is written. */
export const validateCertificate = (
  known: Certificate,
  { certificateExpiresAt, error, checkedAtMs }: Seen,
): CertificateNews | null => {
  if (certificateExpiresAt === null) {
    // Only an answer without TLS says that there is none.
    if (known.expiresAt === null || error !== null) return null
    return { certificate: { ...known, expiresAt: null }, daysLeft: null }
  }
  const expiresAt = new Date(certificateExpiresAt)
  const daysLeft = Math.max(0, Math.floor((expiresAt.getTime() - checkedAtMs) / DAY_MS))
  const days = Math.min(...certificateWarningDays.filter((mark) => daysLeft < mark))
  const isTime = Number.isFinite(days) && isNews(known.warned, { expiresAt, days }, checkedAtMs)
  if (!isTime && known.expiresAt?.getTime() === expiresAt.getTime()) return null
  const warned = isTime ? { expiresAt, days } : known.warned
  return { certificate: { expiresAt, warned }, daysLeft: isTime ? daysLeft : null }
}

type Seen = Pick<Result, 'certificateExpiresAt' | 'error' | 'checkedAtMs'>

/** Hosts that show several certificates in turn must not be warned of in turn: the earliest counts. */
const isNews = (warned: Warned | null, { expiresAt, days }: Warned, nowMs: number): boolean => {
  if (warned === null || expiresAt < warned.expiresAt || days < warned.days) return true
  return warned.expiresAt.getTime() <= nowMs && expiresAt > warned.expiresAt
}
