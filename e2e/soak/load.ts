/** Load of a soak: clients that open and resolve incidents through all gateways in turns. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Incident, incidentOperations, type Operation } from '@status-page/contracts'
import { type Api, type ApiResponse, apiOf } from '../kit/api.ts'

const PAUSE_MS = 3_000

export interface SoakOutcome {
  acknowledged: Incident[]
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

export interface SoakLoad {
  origins: readonly string[]
  headers: Api['headers']
  componentId: string
  clients: number
  signal: AbortSignal
}

export const runLoad = async (options: SoakLoad): Promise<SoakOutcome> => {
  const result: SoakOutcome = {
    acknowledged: [],
    requests: 0,
    refused: 0,
    connectionErrors: 0,
    unknownOutcomes: 0,
    slowestMs: 0,
    violations: [],
  }
  const clients = Array.from({ length: options.clients }, (_, index) =>
    runClient(options, { index, result }),
  )
  await Promise.all(clients)
  return result
}

const runClient = async (
  { origins, headers, componentId, signal }: SoakLoad,
  { index, result }: { index: number; result: SoakOutcome },
): Promise<void> => {
  for (let turn = index; !signal.aborted; turn++) {
    const api = apiOf(origins[turn % origins.length] ?? '', headers)
    const title = `Incident ${turn} of client ${index}`
    const body = { title, message: 'Load', componentStatuses: { [componentId]: 'partial_outage' } }
    const opened = await send(result, incidentOperations.create, () =>
      api.request(incidentOperations.create, { body: body as never }),
    )
    if (opened !== null) {
      const incident: Incident = JSON.parse(opened.text)
      result.acknowledged.push(incident)
      await send(result, incidentOperations.addUpdate, () =>
        api.request(incidentOperations.addUpdate, {
          params: { id: incident.id },
          body: { status: 'resolved', message: 'Done' },
        }),
      )
    }
    await pause(PAUSE_MS, undefined, { signal }).catch(() => {})
  }
}

/** Returns the successful response; every other one is counted. */
const send = async (
  result: SoakOutcome,
  operation: Pick<Operation, 'id' | 'status'>,
  request: () => Promise<ApiResponse>,
): Promise<ApiResponse | null> => {
  result.requests++
  const startedAt = performance.now()
  const response = await request().catch((error: unknown) => error as Error)
  result.slowestMs = Math.max(result.slowestMs, Math.round(performance.now() - startedAt))
  if (response instanceof Error) {
    // The client of the tests throws for a response that the OpenAPI document does not contain.
    if (isConnectionError(response)) result.connectionErrors++
    else result.violations.push(response.message)
    return null
  }
  if (response.status === operation.status) return response
  const isRefusal = [429, 503].includes(response.status) && response.headers.has('retry-after')
  if (isRefusal) result.refused++
  else if ([502, 504].includes(response.status)) result.unknownOutcomes++
  else result.violations.push(`${operation.id} answered ${response.status}: ${response.text}`)
  return null
}

const isConnectionError = (error: Error): boolean =>
  error.name === 'TimeoutError' ||
  error.message === 'fetch failed' ||
  error.message === 'terminated'
