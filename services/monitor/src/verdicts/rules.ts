/**
 * Derives the status of a target: counts consecutive results against its thresholds. A change is
 * dated to the first result of the deciding run. Pure.
 */
import {
  type CertificateError,
  type CheckError,
  type DerivedStatus,
  draftEvent,
  type EventDraft,
  type MonitorEventData,
  monitorDegraded,
  monitorDown,
  monitorRecovered,
  type ProbeResult,
} from '@status-page/contracts'

/** Number of consecutive results, and the time of the first check (ISO 8601). */
export type ResultRun = [count: number, since: string]

/**
 * Consecutive results by kind. `failing`: no response or a wrong one. `bad`: anything except
 * success. A finished run is absent.
 */
export interface Runs {
  failing: ResultRun
  bad: ResultRun
  degraded: ResultRun
  good: ResultRun
}

export interface TargetState {
  derivedStatus: DerivedStatus
  runs: Partial<Runs>
}

export const initialState: TargetState = Object.freeze({ derivedStatus: 'operational', runs: {} })

export interface CheckThresholds {
  failureThreshold: number
  recoveryThreshold: number
}

const healthy = new Map<number, TargetState>()

/**
 * Returns the state as it is held in memory: healthy targets whose successes are no longer counted
 * share one object.
 */
export const internState = (
  state: TargetState,
  { recoveryThreshold }: CheckThresholds,
): TargetState => {
  const { derivedStatus, runs } = state
  const successes = runs.good?.[0] ?? 0
  const isSteady = derivedStatus === 'operational' && successes === recoveryThreshold
  if (!isSteady || runs.bad !== undefined) return state
  const shared = healthy.get(successes) ?? {
    derivedStatus,
    runs: { good: [successes, ''] satisfies ResultRun },
  }
  healthy.set(successes, shared)
  return shared
}

export interface Evaluation {
  /** The same object when nothing changed, so that nothing is written. */
  state: TargetState
  /** Time of the first result of the deciding run; set when the derived status changed. */
  changedSince: string | null
}

/** Maximum count of a run; longer runs count as this long. */
const MAX_COUNT = 1_000_000

export const deriveStatus = (
  state: TargetState,
  result: Pick<ProbeResult, 'status' | 'checkedAtMs'>,
  thresholds: CheckThresholds,
): Evaluation => {
  const counted = countSuppressed(state, result, thresholds)
  const decided = decide(state.derivedStatus, counted.state.runs, thresholds)
  if (decided === null) return counted
  const { runs } = counted.state
  return { state: { derivedStatus: decided.status, runs }, changedSince: decided.since }
}

/** Counts a result during a maintenance without a decision; the first result after it decides. */
export const countSuppressed = (
  state: TargetState,
  result: Pick<ProbeResult, 'status' | 'checkedAtMs'>,
  thresholds: CheckThresholds,
): Evaluation => {
  const runs = count(state, result, thresholds)
  const isSame = JSON.stringify(runs) === JSON.stringify(state.runs)
  return { state: isSame ? state : { ...state, runs }, changedSince: null }
}

/**
 * Counts a result. Successes of a healthy target are not counted beyond the thresholds, so that
 * they write no rows.
 */
const count = (
  { runs, derivedStatus }: TargetState,
  { status, checkedAtMs }: Pick<ProbeResult, 'status' | 'checkedAtMs'>,
  { recoveryThreshold }: CheckThresholds,
): Partial<Runs> => {
  const at = new Date(checkedAtMs).toISOString()
  if (status === 'SUCCESS') {
    const limit = derivedStatus === 'operational' ? recoveryThreshold : MAX_COUNT
    return { good: longer(runs.good, at, limit) }
  }
  const bad = longer(runs.bad, at, MAX_COUNT)
  return status === 'DEGRADED'
    ? { bad, degraded: longer(runs.degraded, at, MAX_COUNT) }
    : { bad, failing: longer(runs.failing, at, MAX_COUNT) }
}

const longer = (run: ResultRun | undefined, at: string, limit: number): ResultRun =>
  run === undefined ? [1, at] : [Math.min(run[0] + 1, Math.max(limit, run[0])), run[1]]

/** Decision table; the first matching row wins. */
const decide = (
  current: DerivedStatus,
  { failing, bad, degraded, good }: Partial<Runs>,
  { failureThreshold, recoveryThreshold }: CheckThresholds,
): { status: DerivedStatus; since: string } | null => {
  if (reaches(failing, failureThreshold)) return changeTo('major_outage', current, failing)
  if (current === 'operational' && reaches(bad, failureThreshold)) {
    return changeTo('degraded_performance', current, bad)
  }
  if (current === 'major_outage' && reaches(degraded, recoveryThreshold)) {
    return changeTo('degraded_performance', current, degraded)
  }
  if (reaches(good, recoveryThreshold)) return changeTo('operational', current, good)
  return null
}

const reaches = (run: ResultRun | undefined, threshold: number): run is ResultRun =>
  run !== undefined && run[0] >= threshold

const changeTo = (status: DerivedStatus, current: DerivedStatus, [, since]: ResultRun) =>
  status === current ? null : { status, since }

/** The three event kinds have the same data, so that one type represents them. */
const eventOf = {
  major_outage: monitorDown,
  degraded_performance: monitorDegraded,
  operational: monitorRecovered,
} as unknown as Record<DerivedStatus, typeof monitorDown>

/** Published change of the combined verdict. */
export interface MonitorChange {
  derivedStatus: DerivedStatus
  /** ISO 8601. */
  since: string
  version: number
  isFlapping: boolean
}

/** Event of a change of the derived status; `result` is null when no check caused it. */
export const monitorEventOf = (
  target: { componentId: string; name: string; timeoutMs: number | null },
  { derivedStatus, since, version, isFlapping }: MonitorChange,
  result: ProbeResult | null,
): EventDraft => {
  const reason =
    derivedStatus === 'operational' || result === null ? null : reasonOf(target, result)
  const { componentId, name } = target
  const monitor: MonitorEventData = { componentId, name, derivedStatus, since, reason, isFlapping }
  return draftEvent(eventOf[derivedStatus], { id: componentId, version }, { monitor })
}

const FIRST_ERROR_STATUS = 400

const errorReasons: Record<CheckError, string> = {
  blocked: 'the address is not allowed',
  dns_error: 'the host name did not resolve',
  connect_error: 'connection failed',
  tls_error: 'the TLS handshake failed',
  protocol_error: 'the response was not valid',
  timeout: 'timed out',
  too_large: 'the response was too large',
  too_complex: 'the response takes too many steps to evaluate',
  no_data: 'no data',
  query_error: 'the query failed',
  error_response: 'the server responded with an error',
  no_record: 'the server has no such record',
  not_registered: 'the domain is not registered',
  registration_expired: 'the registration of the domain has expired',
  heartbeat_missed: 'no ping was received in time',
  run_failed: 'the run failed',
  run_too_long: 'the run took too long',
  run_too_short: 'the run ended too early',
}

const certificateReasons: Record<CertificateError, string> = {
  wrong_name: 'the certificate is for another name',
  expired: 'the certificate has expired',
  not_yet_valid: 'the certificate is not valid yet',
  untrusted: 'the certificate is not from a trusted authority',
}

/** Human-readable reason; never quotes the response. */
const reasonOf = ({ timeoutMs }: { timeoutMs: number | null }, result: ProbeResult): string => {
  if (result.error === 'timeout') return `timed out after ${timeoutMs} ms`
  if (result.certificateFault) return certificateReasons[result.certificateFault]
  if (result.error !== null) return errorReasons[result.error]
  const failed = result.conditionResults.find(({ passed }) => !passed)
  const { statusCode } = result
  const isStatus = failed === undefined || failed.type === 'STATUS_CODE'
  if (statusCode !== null && (isStatus || statusCode >= FIRST_ERROR_STATUS)) {
    return `HTTP ${statusCode}`
  }
  if (failed === undefined) return 'failed'
  if (failed.type === 'RESPONSE_TIME') return `responded in ${result.responseMs} ms`
  return `condition ${failed.type} ${failed.comparator} was not met`
}
