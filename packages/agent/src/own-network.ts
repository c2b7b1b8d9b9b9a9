/**
 * Evidence for checks without a response while the service does not respond either: the agent may
 * have lost its own network. Then a target of a network of `--allow` counts as failed only while a
 * target of another host in the same network responds. A public address has no such witness,
 * because the way to it is the way to the service.
 */
import type { ProbeResult } from '@status-page/contracts'
import { isLoss } from '@status-page/probes'
import { hostNameOf, type PolledTarget } from './polled-target.ts'

const MAX_WITNESSES = 4
const WITNESS_TIMEOUT_MS = 3_000
/** Time for which the responses of witnesses are evidence. */
const VALID_MS = 2_000

export interface OwnNetworkOptions {
  /** Targets that have responded, the last one first. */
  responders: () => readonly PolledTarget[]
  check: (target: PolledTarget) => Promise<ProbeResult | null>
  /** Returns the network of `--allow` that a target is in; null for a public address. */
  networkOf: (target: PolledTarget) => Promise<string | null>
  /** Monotonic milliseconds. */
  now: () => number
}

interface Evidence {
  atMs: number
  /** Hosts of the network that respond. */
  hosts: Promise<readonly string[]>
}

export class OwnNetwork {
  readonly #options: OwnNetworkOptions
  /** Evidence by network. */
  readonly #evidence = new Map<string, Evidence>()

  constructor(options: OwnNetworkOptions) {
    this.#options = options
  }

  /** Whether another host in the network of the target responds. */
  async hasWitness(target: PolledTarget): Promise<boolean> {
    const network = await this.#options.networkOf(target)
    if (network === null) return false
    const hosts = await this.#respondingHosts(network)
    return hosts.some((host) => host !== hostNameOf(target))
  }

  /** Whether the target responds now. */
  async responds(target: PolledTarget): Promise<boolean> {
    const timeoutMs = Math.min(target.timeoutMs, WITNESS_TIMEOUT_MS)
    const result = await this.#options.check({ ...target, timeoutMs }).catch(() => null)
    return result !== null && !isLoss(result)
  }

  #respondingHosts(network: string): Promise<readonly string[]> {
    const atMs = this.#options.now()
    const known = this.#evidence.get(network)
    if (known !== undefined && atMs - known.atMs < VALID_MS) return known.hosts
    const hosts = this.#checkWitnesses(network)
    this.#evidence.set(network, { atMs, hosts })
    return hosts
  }

  async #checkWitnesses(network: string): Promise<readonly string[]> {
    const hosts = await Promise.all(
      (await this.#witnessesIn(network)).map(async (target) =>
        (await this.responds(target)) ? [hostNameOf(target)] : [],
      ),
    )
    return hosts.flat()
  }

  /** Targets of different hosts in the network that responded last. */
  async #witnessesIn(network: string): Promise<PolledTarget[]> {
    const { responders, networkOf } = this.#options
    const witnesses = new Map<string, PolledTarget>()
    for (const target of responders()) {
      const host = hostNameOf(target)
      if (witnesses.size === MAX_WITNESSES) break
      if (!witnesses.has(host) && (await networkOf(target)) === network) {
        witnesses.set(host, target)
      }
    }
    return [...witnesses.values()]
  }
}
