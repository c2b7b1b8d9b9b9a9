/**
 * Load: clients that open and resolve incidents and read their status page, through all gateways in
 * turns.
 */
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Incident,
  incidentOperations,
  type Operation,
  publicOperations,
} from '@status-page/contracts'
import { type Api, type ApiResponse, apiOf } from './api.ts'
import type { ExpectedMessage } from './delivery-ledger.ts'

export interface LoadOutcome {
  /** Messages about the changes that were acknowledged. */
  acknowledged: ExpectedMessage[]
  requests: number
  /** Responses with 503 or 429 and Retry-After. */
  refused: number
  /** Requests whose connection was lost, or that got no response in time. */
  connectionErrors: number
  /** Responses with 502 or 504: the service was lost after it received the request. */
  unknownOutcomes: number
  /** Time of the slowest request, in ms. */
  slowestMs: number
  /** Responses that a client cannot handle by waiting: none are allowed. */
  violations: string[]
}

export interface IncidentLoadOptions {
  origins: readonly string[]
  headers: Api['headers']
  componentId: string
  /** Published page. */
  slug: string
  clients: number
  /** Pause of a client after each incident. */
  pauseMs: number
  signal: AbortSignal
}

export interface IncidentLoad {
  /** Grows until the end. */
  readonly outcome: LoadOutcome
  /** Resolves after the last response, once the signal has aborted. */
  ended: Promise<unknown>
}

export const startLoad = (options: IncidentLoadOptions): IncidentLoad => {
  const outcome: LoadOutcome = {
    acknowledged: [],
    requests: 0,
    refused: 0,
    connectionErrors: 0,
    unknownOutcomes: 0,
    slowestMs: 0,
    violations: [],
  }
  const clients = Array.from({ length: options.clients }, (_, index) =>
    runClient(options, { index, outcome }),
  )
  return { outcome, ended: Promise.all(clients) }
}

const runClient = async (
  { origins, headers, componentId, slug, pauseMs, signal }: IncidentLoadOptions,
  { index, outcome }: { index: number; outcome: LoadOutcome },
): Promise<void> => {
  for (let turn = index; !signal.aborted; turn++) {
    const api = apiOf(origins[turn % origins.length] ?? '', headers)
    const title = `Incident ${turn} of client ${index}`
    const body = { title, message: 'Load', componentStatuses: { [componentId]: 'partial_outage' } }
    const opened = await send(outcome, incidentOperations.create, () =>
      api.request(incidentOperations.create, { body: body as never }),
    )
    if (opened !== null) {
      const incident: Incident = JSON.parse(opened.text)
      acknowledge(outcome, 'incident.created', incident)
      const resolved = await send(outcome, incidentOperations.addUpdate, () =>
        api.request(incidentOperations.addUpdate, {
          params: { id: incident.id },
          body: { status: 'resolved', message: 'Done' },
        }),
      )
      if (resolved !== null) {
        acknowledge(outcome, 'incident.resolved', JSON.parse(resolved.text).incident)
      }
    }
    await send(outcome, publicOperations.status, () =>
      api.request(publicOperations.status, { params: { slug } }),
    )
    await pause(pauseMs, undefined, { signal }).catch(() => {})
  }
}

const acknowledge = (
  { acknowledged }: LoadOutcome,
  kind: string,
  { id, version, status }: Incident,
): void => void acknowledged.push({ kind, incidentId: id, version, status })

/** Returns the successful response; every other one is counted. */
const send = async (
  outcome: LoadOutcome,
  operation: Pick<Operation, 'id' | 'status'>,
  request: () => Promise<ApiResponse>,
): Promise<ApiResponse | null> => {
  outcome.requests++
  const startedAt = performance.now()
  const response = await request().catch((error: unknown) => error as Error)
  outcome.slowestMs = Math.max(outcome.slowestMs, Math.round(performance.now() - startedAt))
  if (response instanceof Error) {
    // The client of the tests throws for a response that the OpenAPI document does not contain.
    if (isConnectionError(response)) outcome.connectionErrors++
    else outcome.violations.push(response.message)
    return null
  }
  if (response.status === operation.status) return response
  const isRefusal = [429, 503].includes(response.status) && response.headers.has('retry-after')
  if (isRefusal) outcome.refused++
  else if ([502, 504].includes(response.status)) outcome.unknownOutcomes++
  else
    outcome.violations.push(`${operation.id} responded with ${response.status}: ${response.text}`)
  return null
}

const isConnectionError = (error: Error): boolean =>
  error.name === 'TimeoutError' ||
  error.message === 'fetch failed' ||
  error.message === 'terminated'
