/**
 * Detects loss of the monitor's own network. When many healthy targets fail at once, canary targets
 * are probed; while none responds, targets without a response count as no data.
 */
import type { ProbeResult } from '@status-page/contracts'
import { isLoss } from '@status-page/probes'
import type { Logger } from 'pino'

/** Minimum number of results for a decision. */
const MIN_RESULTS = 5
const WINDOW_MS = 60_000
const SECOND_MS = 1000
/** Consecutive losses that trigger a probe before half of the window is lost. */
const RUN = 5
const MIN_HOSTS = 2
/** Validity of a decision. */
const TRUSTED_MS = 5_000
/** Minimum duration of the lost state. */
const HOLD_MS = 60_000

export interface NetworkOptions {
  /** Probes the canaries; resolves to true as soon as one responds. Null without canaries. */
  probe: (() => Promise<boolean>) | null
  logger: Logger
  /** Monotonic milliseconds. */
  now: () => number
}

export interface NetworkSample {
  host: string
  /** True when the previous check of the target succeeded. */
  wasHealthy: boolean
  result: Pick<ProbeResult, 'error'>
}

/** Counts of check results of one second. */
interface Second {
  atMs: number
  results: number
  losses: number
  /** Hosts of losses; two different hosts suffice. */
  hosts: Set<string>
}

export class NetworkWatch {
  readonly #options: NetworkOptions
  #seconds: Second[] = []
  /** Hosts of consecutive losses, newest last. */
  #run: string[] = []
  #lostSinceMs: number | null = null
  #probedAtMs = Number.NEGATIVE_INFINITY

  constructor(options: NetworkOptions) {
    this.#options = options
  }

  get isLost(): boolean {
    return this.#lostSinceMs !== null
  }

  record({ host, wasHealthy, result }: NetworkSample): void {
    if (this.#options.probe === null) return
    const lost = isLoss(result)
    // Ignored: a target that has failed for long gives no information about the network now.
    if (lost && !wasHealthy) return
    this.#run = lost ? [...this.#run, host].slice(-RUN) : []
    const second = this.#secondOf(this.#options.now())
    second.results += 1
    if (!lost) return
    second.losses += 1
    if (second.hosts.size < MIN_HOSTS) second.hosts.add(host)
  }

  /** Probes the canaries when losses are suspicious; returns true while the network is lost. */
  async detectLoss(): Promise<boolean> {
    const { probe, now } = this.#options
    if (probe === null || !(this.isLost || this.#isSuspicious())) return false
    if (now() - this.#probedAtMs < TRUSTED_MS) return this.isLost
    this.#probedAtMs = now()
    this.#settle(await probe())
    return this.isLost
  }

  #settle(isConnected: boolean): void {
    const { logger, now } = this.#options
    if (!isConnected) {
      if (this.#lostSinceMs === null) {
        logger.error('network connection lost: targets without a response are set to no_data')
      }
      this.#lostSinceMs ??= now()
    } else if (this.#lostSinceMs !== null && now() - this.#lostSinceMs >= HOLD_MS) {
      logger.warn({ seconds: (now() - this.#lostSinceMs) / 1000 }, 'network connection restored')
      this.#lostSinceMs = null
      this.#seconds = []
      this.#run = []
    }
  }

  #secondOf(nowMs: number): Second {
    const last = this.#seconds.at(-1)
    if (last !== undefined && nowMs - last.atMs < SECOND_MS) return last
    const second = { atMs: nowMs, results: 0, losses: 0, hosts: new Set<string>() }
    this.#seconds.push(second)
    if (this.#seconds.length > WINDOW_MS / SECOND_MS) this.#seconds.shift()
    return second
  }

  #isSuspicious(): boolean {
    if (this.#run.length >= RUN && new Set(this.#run).size >= MIN_HOSTS) return true
    const since = this.#options.now() - WINDOW_MS
    const recent = this.#seconds.filter(({ atMs }) => atMs >= since)
    const results = recent.reduce((sum, second) => sum + second.results, 0)
    const lost = recent.reduce((sum, second) => sum + second.losses, 0)
    const hosts = new Set(recent.flatMap((second) => [...second.hosts]))
    return results >= MIN_RESULTS && lost * 2 > results && hosts.size >= MIN_HOSTS
  }
}
