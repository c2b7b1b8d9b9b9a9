/** Which rate buckets a request charges, and by what they count: the table of the product, pure. */
import { type BucketName, bucketOf, type Operation } from '@status-page/contracts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** By what a bucket counts; a caller is the key, else the session's user, else the address. */
export type CountedBy = 'address' | 'caller' | 'subject'

interface Bucket {
  /** Requests a window unless a setting says otherwise. */
  capacity: number
  windowMs: number
  countedBy: readonly CountedBy[]
  /** Counters of one operation each, instead of one counter for all that share the bucket. */
  perOperation: boolean
  /** Neither global nor another bucket applies. */
  standsAlone: boolean
  /** Counted in memory and exchanged once a second: a public page costs no query. */
  synced: boolean
}

const minutely = (capacity: number, countedBy: readonly CountedBy[]): Bucket => ({
  capacity,
  windowMs: MINUTE_MS,
  countedBy,
  perOperation: false,
  standsAlone: false,
  synced: false,
})

export const buckets: Readonly<Record<BucketName, Bucket>> = {
  global: minutely(100, ['address', 'caller']),
  endpoint: { ...minutely(20, ['caller']), perOperation: true },
  'incident create': minutely(10, ['caller']),
  import: minutely(5, ['caller']),
  check: { ...minutely(60, ['caller']), windowMs: HOUR_MS },
  bulk: { ...minutely(10, ['caller']), perOperation: true },
  auth: minutely(30, ['address']),
  public: minutely(60, ['address']),
  'public read': {
    ...minutely(1000, ['address']),
    perOperation: true,
    standsAlone: true,
    synced: true,
  },
  feed: { ...minutely(100, ['address']), standsAlone: true, synced: true },
  webhook: { ...minutely(200, ['address', 'subject']), standsAlone: true },
  sign_up: { ...minutely(10, ['address']), windowMs: HOUR_MS },
}

/** One counter: the bucket and the key that it counts by. */
export interface Counter {
  bucket: BucketName
  by: CountedBy
  key: string
}

export interface LimitedRequest {
  /** Null for an unknown path. */
  operation: Pick<Operation, 'id' | 'bucket' | 'alsoCounts'> | null
  /** Already folded to the network that counts as one. */
  address: string
  /** Of an inbound webhook: its id. */
  subject: string | null
}

/** Charged before anybody is authenticated. */
export const addressCounters = (request: LimitedRequest): Counter[] =>
  bucketsFor(request.operation).flatMap((bucket) =>
    buckets[bucket].countedBy.flatMap((by) => {
      if (by === 'address') return [counter(bucket, request.operation, by, request.address)]
      if (by !== 'subject' || request.subject === null) return []
      return [counter(bucket, request.operation, by, request.subject)]
    }),
  )

/** Charged once it is known who asks; who is nobody counts as their address. */
export const callerCounters = (request: LimitedRequest, caller: string | null): Counter[] =>
  bucketsFor(request.operation).flatMap((bucket) => {
    if (!buckets[bucket].countedBy.includes('caller')) return []
    if (caller !== null) return [counter(bucket, request.operation, 'caller', caller)]
    const isCharged = buckets[bucket].countedBy.includes('address')
    return isCharged ? [] : [counter(bucket, request.operation, 'address', request.address)]
  })

const bucketsFor = (operation: LimitedRequest['operation']): BucketName[] => {
  if (operation === null) return ['global']
  const bucket = bucketOf(operation as Operation)
  const others = operation.alsoCounts ?? []
  return buckets[bucket].standsAlone ? [bucket, ...others] : ['global', bucket, ...others]
}

/** Of an operation that is charged at once, in memory, by the address alone; null: of any other. */
export const singleSyncedCounter = (
  operation: Operation,
): ((address: string) => Counter) | null => {
  const [bucket, ...others] = bucketsFor(operation)
  if (bucket === undefined || others.length > 0 || !buckets[bucket].synced) return null
  const { key: start } = counter(bucket, operation, 'address', '')
  return (address) => ({ bucket, by: 'address', key: start + address })
}

/** A separator that neither ids nor addresses can hold. */
const SEPARATOR = '|'

const counter = (
  bucket: BucketName,
  operation: LimitedRequest['operation'],
  by: CountedBy,
  value: string,
): Counter => {
  const scope = buckets[bucket].perOperation ? (operation?.id ?? '') : ''
  return { bucket, by, key: [bucket, scope, by, value].join(SEPARATOR) }
}

export type RateSettings = Readonly<Record<string, unknown>>

export const settingOf = (bucket: BucketName): string =>
  `RATE_LIMIT_${bucket.toUpperCase().replaceAll(' ', '_')}`

/** Requests a window, by settings and multiplier; never less than one. */
export const capacityOf = (bucket: BucketName, settings: RateSettings): number => {
  const set = settings[settingOf(bucket)]
  const multiplier = settings.RATE_LIMIT_MULTIPLIER
  const capacity = typeof set === 'number' ? set : buckets[bucket].capacity
  return Math.max(1, Math.round(capacity * (typeof multiplier === 'number' ? multiplier : 1)))
}

/** What a limiter said of one counter. */
export interface RateLimitState {
  bucket: BucketName
  capacity: number
  windowMs: number
  remaining: number
  waitMs: number
  isExceeded: boolean
}

/** A full bucket with the longest wait, else the one with the fewest requests left. */
export const tightest = (states: readonly RateLimitState[]): RateLimitState | null => {
  const full = states.filter(({ isExceeded }) => isExceeded)
  const [first] =
    full.length > 0
      ? full.toSorted((left, right) => right.waitMs - left.waitMs)
      : states.toSorted((left, right) => left.remaining - right.remaining)
  return first ?? null
}
