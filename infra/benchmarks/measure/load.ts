/**
 * Load generator for one address. autocannon generates the unpaced load, with latencies finer than
 * its own whole milliseconds. Paced load is generated here, because autocannon's comes in bursts.
 */
import { Agent, get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import autocannon, { type Result } from 'autocannon'
import { percentile } from './percentile.ts'

export interface LoadOptions {
  url: string
  /** Further addresses; requests at a constant rate use all of them in turns. */
  otherUrls?: readonly string[]
  headers?: Record<string, string>
  connections: number
  seconds: number
  /** Expected status code; default 200. */
  status?: number
}

export interface LoadResult {
  responses: number
  /** Responses with another status, and broken connections. */
  failed: number
  perSecond: number
  p50Ms: number
  p99Ms: number
}

const WARMING_ROUNDS = 3

/** Sends the next request on each connection as soon as the response arrives. */
export const measureClosedLoop = async (load: LoadOptions): Promise<LoadResult> => {
  const { url, headers = {}, connections, seconds, status: expected = 200 } = load
  const latenciesMs: number[] = []
  let unexpected = 0
  const started = performance.now()
  const { errors, timeouts } = await new Promise<Result>((resolve, reject) => {
    const options = { url, headers, connections, duration: seconds }
    autocannon(options, (error, result) => (error ? reject(error) : resolve(result))).on(
      'response',
      (_client, status, _bytes, latencyMs) => {
        latenciesMs.push(latencyMs)
        if (status !== expected) unexpected++
      },
    )
  })
  return summary(latenciesMs, errors + timeouts + unexpected, performance.now() - started)
}

/**
 * Sends requests at a constant rate, independent of response times, so that requests queued behind
 * a slow one count as slow. All connections are opened and used before the clock starts, then used
 * in turns.
 */
export const measureConstantRate = async (load: LoadOptions, rate: number): Promise<LoadResult> => {
  const urls = [load.url, ...(load.otherUrls ?? [])]
  // The limit applies to each origin; all of them are warmed with the same number.
  const origins = new Set(urls.map((url) => new URL(url).origin))
  const maxSockets = Math.ceil(load.connections / origins.size)
  const agent = new Agent({ keepAlive: true, maxSockets, scheduling: 'fifo' })
  for (let round = 0; round < WARMING_ROUNDS; round++) {
    const first = Array.from({ length: load.connections }, (_none, count) => count)
    await Promise.all(first.map((count) => send(urls[count % urls.length] ?? '', load, agent)))
  }
  const latenciesMs: number[] = []
  const requests: Promise<unknown>[] = []
  let failed = 0
  const started = performance.now()
  for (let count = 0; count < rate * load.seconds; count++) {
    const dueMs = started + (count * 1_000) / rate
    const earlyMs = dueMs - performance.now()
    if (earlyMs > 0) await delay(earlyMs)
    const request = send(urls[count % urls.length] ?? '', load, agent).then((isExpected) => {
      latenciesMs.push(performance.now() - dueMs)
      if (!isExpected) failed++
    })
    requests.push(request)
  }
  await Promise.all(requests)
  agent.destroy()
  return summary(latenciesMs, failed, performance.now() - started)
}

/** Resolves to whether the response has the expected status. */
const send = (url: string, { headers = {}, status = 200 }: LoadOptions, agent: Agent) =>
  new Promise<boolean>((resolve) => {
    get(url, { agent, headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode === status))
    }).on('error', () => resolve(false))
  })

const summary = (latenciesMs: number[], failed: number, elapsedMs: number): LoadResult => {
  return {
    responses: latenciesMs.length,
    failed,
    perSecond: (latenciesMs.length * 1_000) / elapsedMs,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
  }
}
