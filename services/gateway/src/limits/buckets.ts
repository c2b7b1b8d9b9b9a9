/** Rate buckets: which ones a request charges and by what they count. Pure. */
import {
  type BucketName,
  type CountedBy,
  type Operation,
  rateBucketOf,
  rateBuckets,
} from '@status-page/contracts'
import { MAX_CAPACITY } from './window.ts'

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
export const addressCounters = (request: LimitedRequest): RateCounter[] => {
  const { address, subject } = startsFor(request)
  const counters = withKeys(address, request.address)
  return request.subject === null ? counters : [...counters, ...withKeys(subject, request.subject)]
}

/**
 * Counters that are charged after authentication; an unauthenticated caller counts as its address.
 */
export const callerCounters = (request: LimitedRequest, caller: string | null): RateCounter[] => {
  const starts = startsFor(request)
  return caller === null
    ? withKeys(starts.anonymous, request.address)
    : withKeys(starts.caller, caller)
}

/** Counters of one kind of request; `key` is the beginning of their keys. */
interface CounterStarts {
  address: readonly RateCounter[]
  subject: readonly RateCounter[]
  caller: readonly RateCounter[]
  /** Counters by address that replace those of the caller. */
  anonymous: readonly RateCounter[]
}

const withKeys = (starts: readonly RateCounter[], value: string): RateCounter[] =>
  starts.map(({ bucket, by, key }) => ({ bucket, by, key: key + value }))

type LimitedOperation = Pick<LimitedRequest, 'operation' | 'hasSession'>

const unknownPath = {}

/** Starts by operation, created once, with and without a session. */
const startsWithSession = new WeakMap<object, CounterStarts>()
const startsWithoutSession = new WeakMap<object, CounterStarts>()

const startsFor = (request: LimitedOperation): CounterStarts => {
  const starts = request.hasSession ? startsWithSession : startsWithoutSession
  const operation = request.operation ?? unknownPath
  const found = starts.get(operation)
  if (found !== undefined) return found
  const created = createStarts(request)
  starts.set(operation, created)
  return created
}

const createStarts = (request: LimitedOperation): CounterStarts => {
  const buckets = bucketsFor(request)
  const isCounted = (bucket: BucketName, by: CountedBy) =>
    (rateBuckets[bucket].countedBy as readonly CountedBy[]).includes(by)
  const startsOf = (by: CountedBy, of: readonly BucketName[]) =>
    of.map((bucket) => counter(bucket, request.operation, by, ''))
  const countedBy = (by: CountedBy) => buckets.filter((bucket) => isCounted(bucket, by))
  const byCaller = countedBy('caller')
  return {
    address: startsOf('address', countedBy('address')),
    subject: startsOf('subject', countedBy('subject')),
    caller: startsOf('caller', byCaller),
    anonymous: startsOf(
      'address',
      byCaller.filter((bucket) => !isCounted(bucket, 'address')),
    ),
  }
}

const bucketsFor = ({ operation, hasSession }: LimitedOperation): BucketName[] => {
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
  const scaled = Math.round(capacity * factor * (typeof multiplier === 'number' ? multiplier : 1))
  return Math.min(MAX_CAPACITY, Math.max(1, scaled))
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
