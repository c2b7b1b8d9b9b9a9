/**
 * ICMP echo requests by the `ping` of the system, which alone has the right to send them: a service
 * has no raw sockets. Never throws for a fault of the remote host.
 */
import { type ExecFileException, execFile } from 'node:child_process'
import { isIP } from 'node:net'
import { startTimeout } from '@status-page/concurrency'
import { allowedAddresses } from './allowed-addresses.ts'
import { noCertificate, type ServerCertificate } from './connect.ts'
import { OutboundFailure, outboundErrorOf } from './failure.ts'
import { emptyTimings } from './http-transport.ts'
import type { OutboundPolicy } from './policy.ts'
import { type OutboundFault, type OutboundTimings, roundedTimings } from './request.ts'
import { DNS_TIMEOUT_MS } from './resolve.ts'
import { checkUrl, hostOf, portOf } from './target.ts'

export interface PingRequest {
  /** `icmp://host`. */
  url: string
  timeoutMs: number
}

export interface PingReply extends ServerCertificate {
  ok: true
  /** Round-trip time. */
  durationMs: number
  timings: OutboundTimings
}

const ENVIRONMENT = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
}
const MAX_OUTPUT_BYTES = 16 * 1024
const SELF_TEST_MS = 5_000

/** Whether the system has a `ping` that this process may use. */
export const canPing = async (): Promise<boolean> =>
  (await echo('127.0.0.1', SELF_TEST_MS).catch(() => null)) !== null

export const ping = async (
  { url: text, timeoutMs }: PingRequest,
  policy: OutboundPolicy,
): Promise<PingReply | OutboundFault> => {
  const timings: OutboundTimings = { ...emptyTimings(), firstByteMs: null, totalMs: 0 }
  const verdict = checkUrl(text, policy, { schemes: ['icmp'] })
  if (!verdict.ok) return { ok: false, error: 'blocked', durationMs: 0, timings }
  const { url } = verdict
  const startedAt = performance.now()
  const totals = (durationMs: number) => ({
    durationMs,
    timings: roundedTimings(timings, durationMs),
  })
  try {
    const lookupMs = Math.min(DNS_TIMEOUT_MS, timeoutMs)
    const addresses = await allowedAddresses(hostOf(url), portOf(url), policy, lookupMs)
    timings.dnsMs = performance.now() - startedAt
    const address = addresses.find((candidate) => isIP(candidate) === 4) ?? addresses[0] ?? ''
    const leftMs = Math.max(1, Math.floor(timeoutMs - timings.dnsMs))
    const durationMs = await echo(address, leftMs)
    return { ok: true, ...noCertificate, ...totals(durationMs) }
  } catch (error) {
    const durationMs = Math.round(performance.now() - startedAt)
    return { ok: false, error: outboundErrorOf(error), ...totals(durationMs) }
  }
}

/** Sends one echo request to a validated address; resolves with the round-trip time in ms. */
const echo = async (address: string, timeoutMs: number): Promise<number> => {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const options = {
    env: ENVIRONMENT,
    maxBuffer: MAX_OUTPUT_BYTES,
  } as const
  const child = execFile('ping', ['-n', '-c', '1', address], options, (error, output) => {
    cancel()
    const [, time] = /time[=<]([\d.]+) ?ms/.exec(output) ?? []
    if (error === null && time !== undefined) resolve(Number(time))
    else reject(new OutboundFailure(isTimeout(error) ? 'timeout' : 'connect_error', error))
  })
  // Not the option `timeout`, which discards the output that arrived during a stall.
  const cancel = startTimeout(() => child.kill('SIGKILL'), timeoutMs)
  return await promise
}

/** A `ping` without a reply is killed at the deadline. */
const isTimeout = (error: ExecFileException | null): boolean => error?.killed === true
