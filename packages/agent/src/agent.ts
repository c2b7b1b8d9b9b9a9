/**
 * Runs an agent until it is stopped or revoked. It sends its requests one after the other, and
 * nothing connects to it. Without a connection the checks continue, and their results wait.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type ApiClient, ApiError, ConnectionError, createClient } from '@status-page/client'
import { Wakeup } from '@status-page/concurrency'
import { type AgentTarget, agentKinds, MAX_TARGETS_PER_REQUEST } from '@status-page/contracts'
import { canonicalNetwork, createOutbound, outboundPolicy } from '@status-page/outbound'
import { createRunProbe } from '@status-page/probes'
import { hashToken } from '@status-page/secrets/hash'
import { openBox } from '@status-page/secrets/key-box'
import { ServiceClock } from './service-clock.ts'
import { type AgentIdentity, type AgentState, openState, saveState } from './state-file.ts'
import { TargetSchedule } from './target-schedule.ts'
import { UnsentResults } from './unsent-results.ts'

export interface AgentOptions {
  /** Origin of the service. */
  url: string
  /** Path of the state file. */
  stateFile: string
  /** Returns the enrolment token; called unless the agent is enrolled. */
  readEnrolmentToken: () => Promise<string>
  name: string
  version: string
  /** Networks in CIDR notation that checks may reach besides public addresses. */
  allow: readonly string[]
  /** Ends the agent. */
  signal: AbortSignal
  log: (line: string) => void
}

const REQUEST_TIMEOUT_MS = 20_000
/** Maximum time that a result without a change of the status waits. */
const FLUSH_MS = 2_000
const FIRST_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 30_000
/** Maximum time to send the remaining results at the end. */
const STOP_MS = 10_000

/** Resolves when the agent was stopped; rejects when it is revoked or cannot start. */
export const runAgent = async (options: AgentOptions): Promise<void> => {
  const allowCidrs = options.allow.map(validNetwork)
  const state = await openState(options.stateFile, options.url)
  const client = clientOf(options, state.token)
  const identity = state.identity ?? (await enrol(options, state))
  options.log(`enrolled at ${identity.location} as agent ${identity.id}`)
  await new Agent(options, { client, state, identity, allowCidrs }).run()
}

const validNetwork = (text: string): string => {
  const network = canonicalNetwork(text)
  if (network === null) throw new Error(`--allow: ${text} is not a network in CIDR notation`)
  if (network.endsWith('/0')) throw new Error(`--allow: ${text} would allow every address`)
  return network
}

const clientOf = ({ url, version }: AgentOptions, apiKey: string): ApiClient =>
  createClient({
    url,
    apiKey,
    userAgent: `statusctl/${version}`,
    timeoutMs: REQUEST_TIMEOUT_MS,
  })

/** Enrols with the token and key of the state; a repeated request has the same result. */
const enrol = async (options: AgentOptions, state: AgentState): Promise<AgentIdentity> => {
  const client = clientOf(options, await options.readEnrolmentToken())
  const { name, version } = options
  const { publicKey } = state.keys
  const body = { name, version, publicKey, tokenHash: hashToken(state.token) }
  const { data: identity } = await client.POST('/api/v1/agents', { body })
  await saveState(options.stateFile, { ...state, identity })
  return identity
}

interface AgentParts {
  client: ApiClient
  state: AgentState
  identity: AgentIdentity
  allowCidrs: readonly string[]
}

class Agent {
  readonly #options: AgentOptions
  readonly #client: ApiClient
  readonly #path: { path: { id: string } }
  readonly #outbound: ReturnType<typeof createOutbound>
  readonly #clock = new ServiceClock()
  readonly #unsent = new UnsentResults()
  readonly #schedule: TargetSchedule
  /** Version of the assignments that are scheduled completely. */
  #version: string | null = null
  #failures = 0
  #pollAtMs = 0
  #flushAtMs = Number.POSITIVE_INFINITY
  readonly #wakeup = new Wakeup()

  constructor(options: AgentOptions, { client, state, identity, allowCidrs }: AgentParts) {
    this.#options = options
    this.#client = client
    this.#path = { path: { id: identity.id } }
    this.#outbound = createOutbound({ policy: outboundPolicy({ allowCidrs, ownHosts: [] }) })
    this.#schedule = new TargetSchedule({
      organizationId: identity.organizationId,
      runProbe: createRunProbe({
        outbound: this.#outbound,
        sealer: { open: (sealed, { recordId }) => openBox(sealed, state.keys, recordId) },
        registrations: { find: async () => null },
        now: this.#clock.now,
      }),
      now: this.#clock.now,
      onResult: (result, isChange) => {
        this.#unsent.add(result)
        const atMs = this.#clock.mark() + (isChange ? 0 : FLUSH_MS)
        this.#flushAtMs = Math.min(this.#flushAtMs, atMs)
        if (isChange) this.#wakeup.wake()
        else this.#wakeup.wakeWithin(FLUSH_MS)
      },
      onError: (error) => options.log(`a check failed: ${messageOf(error)}`),
    })
  }

  async run(): Promise<void> {
    const { signal } = this.#options
    try {
      while (!signal.aborted) {
        await this.#turn()
        await this.#sleep()
      }
      await this.#schedule.stop()
      await this.#sendRest()
    } finally {
      await this.#schedule.stop()
      await this.#outbound.close()
    }
  }

  /** Sends what is due; after a failure the next turn waits. */
  async #turn(): Promise<void> {
    try {
      const nowMs = this.#clock.mark()
      if (nowMs >= this.#pollAtMs) await this.#poll()
      if (nowMs >= this.#flushAtMs) await this.#flush()
      if (this.#failures > 0) this.#options.log('connected to the service again')
      this.#failures = 0
    } catch (error) {
      if (isRevoked(error)) {
        throw new Error('the service refused the token: the agent was revoked')
      }
      if (!isTemporary(error)) throw error
      if (this.#failures === 0) this.#options.log(`no connection: ${messageOf(error)}`)
      this.#failures++
      const delayMs = backoffMs(this.#failures)
      this.#pollAtMs = this.#clock.mark() + delayMs
      this.#flushAtMs = Math.max(this.#flushAtMs, this.#pollAtMs)
    }
  }

  /** Waits for the next request; a changed status ends the wait, but not a backoff. */
  async #sleep(): Promise<void> {
    const { signal } = this.#options
    const untilMs = Math.min(this.#pollAtMs, this.#flushAtMs)
    const waitMs = Math.max(0, untilMs - this.#clock.mark())
    if (this.#failures === 0) await this.#wakeup.wait(waitMs, signal)
    else await pause(waitMs, undefined, { signal }).catch(() => {})
  }

  async #poll(): Promise<void> {
    const sentAtMs = this.#clock.mark()
    const { data } = await this.#client.POST('/api/v1/agents/{id}/assignments', {
      params: this.#path,
      body: {
        version: this.#version,
        agentVersion: this.#options.version,
        canPing: await this.#outbound.canPing(),
        lagSeconds: this.#unsent.lagSeconds(this.#clock.now()),
      },
    })
    this.#clock.set(Date.parse(data.now), sentAtMs)
    if (data.targets !== null) {
      await this.#assign(data.targets)
      this.#version = data.version
    }
    this.#pollAtMs = this.#clock.mark() + data.pollSeconds * 1000
    this.#reportLosses()
  }

  async #assign(targets: readonly Pick<AgentTarget, 'componentId' | 'version'>[]): Promise<void> {
    this.#schedule.retain(new Set(targets.map(({ componentId }) => componentId)))
    const wanted = targets
      .filter(({ componentId, version }) => this.#schedule.versionOf(componentId) !== version)
      .map(({ componentId }) => componentId)
    for (let start = 0; start < wanted.length; start += MAX_TARGETS_PER_REQUEST) {
      const componentIds = wanted.slice(start, start + MAX_TARGETS_PER_REQUEST)
      const { data } = await this.#client.POST('/api/v1/agents/{id}/targets', {
        params: this.#path,
        body: { componentIds },
      })
      for (const target of data.targets as AgentTarget[]) {
        // A newer service may know kinds that this agent does not.
        if (agentKinds.some((kind) => kind === target.probe.kind)) this.#schedule.set(target)
      }
    }
    this.#options.log(`checks ${this.#schedule.size} targets`)
  }

  /** Sends one batch; the next one is due at once while more wait. */
  async #flush(): Promise<void> {
    const results = this.#unsent.batch()
    if (results.length > 0) {
      try {
        const body = { results }
        await this.#client.POST('/api/v1/agents/{id}/results', { params: this.#path, body })
      } catch (error) {
        if (isRevoked(error) || isTemporary(error)) throw error
        this.#options.log(`${results.length} results were refused: ${messageOf(error)}`)
      }
      this.#unsent.confirm(results)
    }
    this.#flushAtMs = this.#unsent.size > 0 ? this.#clock.mark() : Number.POSITIVE_INFINITY
  }

  async #sendRest(): Promise<void> {
    const endMs = this.#clock.mark() + STOP_MS
    try {
      while (this.#unsent.size > 0 && this.#clock.mark() < endMs) await this.#flush()
    } catch (error) {
      this.#options.log(`${this.#unsent.size} results were not sent: ${messageOf(error)}`)
    }
  }

  #reportLosses(): void {
    const skipped = this.#schedule.takeSkipped()
    const dropped = this.#unsent.takeDropped()
    if (skipped > 0) this.#options.log(`${skipped} checks were skipped: too many in flight`)
    if (dropped > 0) this.#options.log(`${dropped} results were dropped: the buffer was full`)
  }
}

const UNAUTHORIZED = 401
const RATE_LIMITED = 429
const FIRST_SERVER_ERROR = 500

const isRevoked = (error: unknown): boolean =>
  error instanceof ApiError && error.status === UNAUTHORIZED

const isTemporary = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  (error instanceof ApiError &&
    (error.status === RATE_LIMITED || error.status >= FIRST_SERVER_ERROR))

/** Exponential, with a jitter of a half, so that agents do not return at the same time. */
const backoffMs = (failures: number): number =>
  Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1)) * (0.5 + Math.random() / 2)

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
