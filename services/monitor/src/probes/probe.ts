/** Interface of a kind of check, and its result. */
import type {
  CheckError,
  CheckStatus,
  CheckTimings,
  ConditionResult,
  PolledKind,
  ProbeSettings,
} from '@status-page/contracts'
import type { Outbound } from '@status-page/outbound'
import type { Sealer } from '@status-page/secrets'
import type { DomainRegistrations } from '../domains/registrations.ts'

/** Target of a check, with the settings of its kind. */
export interface Probed<Kind extends PolledKind = PolledKind> {
  organizationId: string
  componentId: string
  probe: ProbeSettings<Kind>
  timeoutMs: number
}

export interface ProbeDeps {
  outbound: Outbound
  sealer: Pick<Sealer, 'open'>
  registrations: DomainRegistrations
  /** Epoch milliseconds. */
  now: () => number
}

export interface Probe<Kind extends PolledKind = PolledKind> {
  /** Host and port of the check, for the limit of concurrent checks per host. */
  hostOf(target: Pick<Probed<Kind>, 'componentId' | 'probe'>): string
  /**
   * Runs the check of a slot. Returns null for a slot without a result. Does not reject for any
   * behaviour of a target.
   */
  run(target: Probed<Kind>, deps: ProbeDeps): Promise<Result | null>
}

/** Reason why a certificate was rejected. */
export type CertificateError = 'wrong_name' | 'expired' | 'not_yet_valid' | 'untrusted'

/** Result of one check. */
export interface Result {
  status: CheckStatus
  /** Status of an HTTP response. */
  statusCode: number | null
  responseMs: number | null
  error: CheckError | null
  /** Reason why the certificate was rejected, when that is the error. */
  certificateFault?: CertificateError | null
  conditionResults: ConditionResult[]
  /** Start of the check in epoch milliseconds. */
  checkedAtMs: number
  timings: CheckTimings
  /** Expiry of the presented certificate, ISO 8601; null without TLS. */
  certificateExpiresAt: string | null
}

export const noTimings: CheckTimings = { dns: null, connect: null, tls: null, firstByte: null }

/** Fields of a result that a kind does not measure. */
export const notMeasured = {
  statusCode: null,
  responseMs: null,
  error: null,
  conditionResults: [],
  timings: noTimings,
  certificateExpiresAt: null,
} satisfies Partial<Result>

/** Errors that a lost network causes; a refused connection or a wrong response came from a host. */
const losses: ReadonlySet<string | null> = new Set(['dns_error', 'connect_error', 'timeout'])

export const isLoss = ({ error }: Pick<Result, 'error'>): boolean => losses.has(error)
