/** Interface of a kind of check. */
import type { CheckTimings, PolledKind, ProbeResult, ProbeSettings } from '@status-page/contracts'
import type { Outbound } from '@status-page/outbound'
import type { Sealer } from '@status-page/secrets'

/** Target of a check, with the settings of its kind. */
export interface Probed<Kind extends PolledKind = PolledKind> {
  organizationId: string
  componentId: string
  probe: ProbeSettings<Kind>
  timeoutMs: number
}

export interface Registration {
  isRegistered: boolean
  /** ISO 8601; null for a registry that does not publish it. */
  expiresAt: string | null
}

export interface DomainRegistrations {
  /** Newest known registration; null before the first response and without an RDAP server. */
  find(domain: string): Promise<Registration | null>
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
  run(target: Probed<Kind>, deps: ProbeDeps): Promise<ProbeResult | null>
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
} satisfies Partial<ProbeResult>

/** Errors that a lost network causes, and a stopped host too; a wrong response came from a host. */
const losses: ReadonlySet<string | null> = new Set(['dns_error', 'connect_error', 'timeout'])

export const isLoss = ({ error }: Pick<ProbeResult, 'error'>): boolean => losses.has(error)
