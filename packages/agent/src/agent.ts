/**
 * Runs an agent until it is stopped or revoked. It sends its requests one after the other over one
 * connection, and nothing connects to it. Without a connection the checks continue, also after a
 * restart, and their results wait.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type ApiClient, ApiError, ConnectionError, createClient } from '@status-page/client'
import { Wakeup } from '@status-page/concurrency'
import { type AgentTarget, MAX_TARGETS_PER_REQUEST, type ProbeResult } from '@status-page/contracts'
import {
  canonicalNetwork,
  createOutbound,
  createSingleConnection,
  type Outbound,
  outboundPolicy,
  resolveNetwork,
  type SingleConnection,
} from '@status-page/outbound'
import { createRunProbe } from '@status-page/probes'
import { hashToken } from '@status-page/secrets/hash'
import { type BoxKeys, openBox } from '@status-page/secrets/key-box'
import { OwnNetwork } from './own-network.ts'
import { isPolledTarget, type PolledTarget } from './polled-target.ts'
import { ResultQueue } from './result-queue.ts'
import { ServiceClock } from './service-clock.ts'
import { type AgentIdentity, type AgentState, openState, saveState } from './state-file.ts'
import { type TargetResult, TargetSchedule } from './target-schedule.ts'
import { TargetsFile } from './targets-file.ts'

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
/** Minimum time between two requests with results; a full batch is followed at once. */
const FLUSH_GAP_MS = 1_000
const FIRST_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 30_000
/** Maximum time to send the remaining results at the end. */
const STOP_MS = 10_000

/** Resolves when the agent was stopped; rejects when it is revoked or cannot start. */
export const runAgent = async (options: AgentOptions): Promise<void> => {
  const allowCidrs = options.allow.map(validNetwork)
  const state = await openState(options.stateFile, options.url)
  const connection = createSingleConnection()
  try {
    const identity = state.identity ?? (await enrol(options, state, connection))
    options.log(`enrolled at ${identity.location} as agent ${identity.id}`)
    const client = clientOf(options, state.token, connection)
    await runEnrolled(options, { client, state, identity, allowCidrs })
  } finally {
    await connection.close()
  }
}

const validNetwork = (text: string): string => {
  const network = canonicalNetwork(text)
  if (network === null) throw new Error(`--allow: ${text} is not a network in CIDR notation`)
  if (network.endsWith('/0')) throw new Error(`--allow: ${text} would allow every address`)
  return network
}

const clientOf = (
  { url, version }: AgentOptions,
  apiKey: string,
  { fetch }: SingleConnection,
): ApiClient =>
  createClient({
    url,
    apiKey,
    fetch,
    userAgent: `statusctl/${version}`,
    timeoutMs: REQUEST_TIMEOUT_MS,
  })

/** Enrols with the token and key of the state; a repeated request has the same result. */
const enrol = async (
  options: AgentOptions,
  state: AgentState,
  connection: SingleConnection,
): Promise<AgentIdentity> => {
  const client = clientOf(options, await options.readEnrolmentToken(), connection)
  const { name, version } = options
  const { publicKey } = state.keys
  const body = { name, version, publicKey, tokenHash: hashToken(state.token) }
  const { data: identity } = await client.POST('/api/v1/agents', { body })
  await saveState(options.stateFile, { ...state, identity })
  return identity
}

interface Enrolled {
  client: ApiClient
  state: AgentState
  identity: AgentIdentity
  allowCidrs: readonly string[]
}

const runEnrolled = async (options: AgentOptions, enrolled: Enrolled): Promise<void> => {
  const { client, state, identity, allowCidrs } = enrolled
  const clock = new ServiceClock()
  const policy = outboundPolicy({ allowCidrs, ownHosts: [] })
  const outbound = createOutbound({ policy })
  const check = checkOf(identity, { outbound, keys: state.keys, now: clock.now })
  const network = new OwnNetwork({
    responders: () => agent.schedule.responders(),
    check,
    networkOf: ({ probe }) => resolveNetwork(probe.url, allowCidrs, policy),
    now: clock.mark,
  })
  const base = dataFileOf(options.stateFile, identity)
  const targetsFile = new TargetsFile(`${base}-targets.json`)
  const results = await ResultQueue.open({
    file: `${base}.ndjson`,
    nowMs: clock.now(),
    network,
    onSpoolError: (error) => options.log(`results were not written: ${messageOf(error)}`),
  })
  const parts = { client, identity, clock, outbound, check, results, targetsFile }
  const agent = new Agent(options, parts)
  try {
    agent.resume(await targetsFile.read())
    await agent.run()
  } finally {
    await results.close()
    await outbound.close()
  }
}

/**
 * Start of the paths of files next to the state; of this identity alone, because another one has
 * other targets.
 */
const dataFileOf = (stateFile: string, { id }: AgentIdentity): string =>
  `${stateFile.replace(/\.json$/, '')}-${id}`

type Check = (target: PolledTarget) => Promise<ProbeResult | null>

const checkOf = (
  { organizationId }: AgentIdentity,
  { outbound, keys, now }: { outbound: Outbound; keys: BoxKeys; now: () => number },
): Check => {
  const runProbe = createRunProbe({
    outbound,
    sealer: { open: (sealed, { recordId }) => openBox(sealed, keys, recordId) },
    registrations: { find: async () => null },
    now,
  })
  return ({ componentId, timeoutMs, probe }) =>
    runProbe({ organizationId, componentId, timeoutMs, probe })
}

interface AgentParts {
  client: ApiClient
  identity: AgentIdentity
  clock: ServiceClock
  outbound: Outbound
  check: Check
  results: ResultQueue
  targetsFile: TargetsFile
}

class Agent {
  readonly schedule: TargetSchedule
  readonly #options: AgentOptions
  readonly #client: ApiClient
  readonly #path: { path: { id: string } }
  readonly #outbound: Outbound
  readonly #clock: ServiceClock
  readonly #results: ResultQueue
  readonly #targetsFile: TargetsFile
  /** Version of the assignments that are scheduled completely. */
  #version: string | null = null
  #failures = 0
  #pollAtMs = 0
  /** Results of an earlier run are sent at once. */
  #flushAtMs = 0
  #flushedAtMs = Number.NEGATIVE_INFINITY
  readonly #wakeup = new Wakeup()

  constructor(options: AgentOptions, parts: AgentParts) {
    this.#options = options
    this.#client = parts.client
    this.#path = { path: { id: parts.identity.id } }
    this.#outbound = parts.outbound
    this.#clock = parts.clock
    this.#results = parts.results
    this.#targetsFile = parts.targetsFile
    this.schedule = new TargetSchedule({
      check: parts.check,
      now: this.#clock.now,
      onResult: (result) => this.#onResult(result),
      onError: (error) => options.log(`a check failed: ${messageOf(error)}`),
    })
  }

  /** Checks the targets of an earlier run until the service replies, which replaces all of them. */
  resume(targets: readonly PolledTarget[]): void {
    for (const target of targets) this.schedule.set({ ...target, version: UNKNOWN_VERSION })
  }

  async run(): Promise<void> {
    const { signal } = this.#options
    try {
      while (!signal.aborted) {
        await this.#turn()
        await this.#sleep()
      }
      await this.schedule.stop()
      await this.#sendRest()
    } finally {
      await this.schedule.stop()
    }
  }

  /** Sends a change of the status at once, other results together. */
  async #onResult({ result, target, isChange }: TargetResult): Promise<void> {
    if (!(await this.#results.add(result, target))) return
    const nowMs = this.#clock.mark()
    const dueMs = isChange ? Math.max(nowMs, this.#flushedAtMs + FLUSH_GAP_MS) : nowMs + FLUSH_MS
    this.#flushAtMs = Math.min(this.#flushAtMs, dueMs)
    this.#wakeup.wake()
  }

  /** Sends what is due; after a failure the next turn waits. */
  async #turn(): Promise<void> {
    const nowMs = this.#clock.mark()
    const isFlushDue = nowMs >= this.#flushAtMs
    try {
      // A failure is sent after a reply that confirms it.
      if (nowMs >= this.#pollAtMs || (isFlushDue && this.#results.hasSuspects)) await this.#poll()
      if (isFlushDue) await this.#flush()
      if (this.#failures > 0) this.#options.log('connected to the service again')
      this.#failures = 0
    } catch (error) {
      if (isRevoked(error)) {
        await this.#targetsFile.delete()
        throw new Error('the service refused the token: the agent was revoked')
      }
      if (!isTemporary(error)) throw error
      await this.#noteFailure(error, nowMs)
      if (this.#failures === 0) this.#options.log(`no connection: ${messageOf(error)}`)
      this.#failures++
      const delayMs = backoffMs(this.#failures)
      this.#pollAtMs = this.#clock.mark() + delayMs
      this.#flushAtMs = Math.max(this.#flushAtMs, this.#pollAtMs)
    }
  }

  /** A refusal is a reply, too: the network of the agent works. */
  async #noteFailure(error: unknown, sentAtMs: number): Promise<void> {
    if (error instanceof ConnectionError) await this.#results.noteNoReply()
    else await this.#results.noteReply(this.#clock.mark() - sentAtMs)
  }

  /** Waits for the next request; a result that is due earlier ends the wait, but not a backoff. */
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
        lagSeconds: this.#results.lagSeconds(this.#clock.now()),
      },
    })
    this.#clock.set(Date.parse(data.now), sentAtMs)
    await this.#results.noteReply(this.#clock.mark() - sentAtMs)
    if (data.targets !== null) {
      await this.#assign(data.targets)
      this.#version = data.version
    }
    this.#pollAtMs = this.#clock.mark() + data.pollSeconds * 1000
    this.#reportLosses()
  }

  async #assign(targets: readonly Pick<AgentTarget, 'componentId' | 'version'>[]): Promise<void> {
    this.schedule.retain(new Set(targets.map(({ componentId }) => componentId)))
    const wanted = targets
      .filter(({ componentId, version }) => this.schedule.versionOf(componentId) !== version)
      .map(({ componentId }) => componentId)
    for (let start = 0; start < wanted.length; start += MAX_TARGETS_PER_REQUEST) {
      const componentIds = wanted.slice(start, start + MAX_TARGETS_PER_REQUEST)
      const { data } = await this.#client.POST('/api/v1/agents/{id}/targets', {
        params: this.#path,
        body: { componentIds },
      })
      for (const target of data.targets as AgentTarget[]) {
        if (isPolledTarget(target)) this.schedule.set(target)
      }
    }
    await this.#targetsFile
      .save(this.schedule.targets)
      .catch((error) => this.#options.log(`targets were not written: ${messageOf(error)}`))
    this.#options.log(`checks ${this.schedule.size} targets`)
  }

  /** Sends one batch; the next one is due at once while more wait. */
  async #flush(): Promise<void> {
    const results = this.#results.batch()
    if (results.length > 0) {
      try {
        const body = { results }
        await this.#client.POST('/api/v1/agents/{id}/results', { params: this.#path, body })
      } catch (error) {
        if (isRevoked(error) || isTemporary(error)) throw error
        this.#options.log(`${results.length} results were refused: ${messageOf(error)}`)
      }
      this.#results.confirm(results)
    }
    this.#flushedAtMs = this.#clock.mark()
    this.#flushAtMs = this.#results.size > 0 ? this.#flushedAtMs : Number.POSITIVE_INFINITY
  }

  async #sendRest(): Promise<void> {
    const nowMs = this.#clock.mark()
    const endMs = nowMs + STOP_MS
    try {
      while (this.#results.size > 0 && this.#clock.mark() < endMs) await this.#flush()
    } catch (error) {
      await this.#noteFailure(error, nowMs)
      const { size } = this.#results
      this.#options.log(`${size} results are sent at the next start: ${messageOf(error)}`)
    }
  }

  #reportLosses(): void {
    const skipped = this.schedule.takeSkipped()
    const { uncounted, dropped } = this.#results.takeLosses()
    if (uncounted > 0) {
      this.#options.log(`${uncounted} checks have no data: the network of the agent was lost`)
    }
    if (skipped > 0) this.#options.log(`${skipped} checks were skipped: too many in flight`)
    if (dropped > 0) this.#options.log(`${dropped} results were dropped: the buffer was full`)
  }
}

/** Lower than the versions of the service. */
const UNKNOWN_VERSION = 0

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
