/** Rate buckets: which ones a request charges and by what they count. Pure. */
import {
  type BucketName,
  type CountedBy,
  type Operation,
  rateBucketOf,
  rateBuckets,
} from '@status-page/contracts'

/** One counter: the bucket and the key that it counts by. */
export interface RateCounter {
  bucket: BucketName
  by: CountedBy
  key: string
}

export interface LimitedRequest {
  /** Null for an unknown path. */
  operation: Pick<Operation, 'id' | 'bucket' | 'alsoCounts'> | null
  /** Client network (IPv6: a /64), counted as one address. */
  address: string
  /** Id of an inbound webhook. */
  subject: string | null
  /** True if the bucket of sessions replaces those of keys and addresses. */
  hasSession: boolean
}

/** Counters that are charged before authentication. */
export const addressCounters = (request: LimitedRequest): RateCounter[] =>
  bucketsFor(request).flatMap((bucket) =>
    rateBuckets[bucket].countedBy.flatMap((by) => {
      if (by === 'address') return [counter(bucket, request.operation, by, request.address)]
      if (by !== 'subject' || request.subject === null) return []
      return [counter(bucket, request.operation, by, request.subject)]
    }),
  )

/**
 * Counters that are charged after authentication; an unauthenticated caller counts as its address.
 */
export const callerCounters = (request: LimitedRequest, caller: string | null): RateCounter[] =>
  bucketsFor(request).flatMap((bucket) => {
    if (!rateBuckets[bucket].countedBy.includes('caller')) return []
    if (caller !== null) return [counter(bucket, request.operation, 'caller', caller)]
    const isCharged = rateBuckets[bucket].countedBy.includes('address')
    return isCharged ? [] : [counter(bucket, request.operation, 'address', request.address)]
  })

const bucketsFor = ({
  operation,
  hasSession,
}: Pick<LimitedRequest, 'operation' | 'hasSession'>): BucketName[] => {
  const general = hasSession ? 'session' : 'global'
  if (operation === null) return [general]
  const bucket = rateBucketOf(operation as Operation)
  const others = operation.alsoCounts ?? []
  if (rateBuckets[bucket].excludesOtherBuckets) return [bucket, ...others]
  return hasSession && bucket === 'endpoint' ? [general, ...others] : [general, bucket, ...others]
}

/**
 * Counter of an operation that charges a single synchronized bucket by address; null for any other.
 */
export const singleSyncedCounter = (
  operation: Operation,
): ((address: string) => RateCounter) | null => {
  const [bucket, ...others] = bucketsFor({ operation, hasSession: false })
  if (bucket === undefined || others.length > 0 || !rateBuckets[bucket].synced) return null
  const { key: start } = counter(bucket, operation, 'address', '')
  return (address) => ({ bucket, by: 'address', key: start + address })
}

/** Character that neither ids nor addresses contain. */
const SEPARATOR = '|'

const counter = (
  bucket: BucketName,
  operation: LimitedRequest['operation'],
  by: CountedBy,
  value: string,
): RateCounter => {
  const scope = rateBuckets[bucket].perOperation ? (operation?.id ?? '') : ''
  return { bucket, by, key: [bucket, scope, by, value].join(SEPARATOR) }
}

export type RateSettings = Readonly<Record<string, unknown>>

export const bucketSettingName = (bucket: BucketName): string =>
  `RATE_LIMIT_${bucket.toUpperCase().replaceAll(' ', '_')}`

/** Requests per window of one key, by settings and multiplier; at least one. */
export const bucketCapacityOf = (
  { bucket, by }: Pick<RateCounter, 'bucket' | 'by'>,
  settings: RateSettings,
): number => {
  const set = settings[bucketSettingName(bucket)]
  const multiplier = settings.RATE_LIMIT_MULTIPLIER
  const capacity = typeof set === 'number' ? set : rateBuckets[bucket].capacity
  const factor = by === 'address' ? rateBuckets[bucket].addressFactor : 1
  return Math.max(
    1,
    Math.round(capacity * factor * (typeof multiplier === 'number' ? multiplier : 1)),
  )
}

/** State of one counter after a charge. */
export interface RateLimitState {
  bucket: BucketName
  capacity: number
  windowMs: number
  remaining: number
  waitMs: number
  isExceeded: boolean
}

/**
 * State with the longest wait among exceeded ones, else the one with the fewest requests left;
 * `first` and the first of equal states take precedence.
 */
export const tightestStateOf = (
  states: readonly RateLimitState[],
  first: RateLimitState | null = null,
): RateLimitState | null => {
  let tightest = first
  for (const state of states) {
    if (tightest === null || isTighter(state, tightest)) tightest = state
  }
  return tightest
}

const isTighter = (state: RateLimitState, other: RateLimitState): boolean => {
  if (state.isExceeded !== other.isExceeded) return state.isExceeded
  return state.isExceeded ? state.waitMs > other.waitMs : state.remaining < other.remaining
}
