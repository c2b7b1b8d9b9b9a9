/**
 * Load shedding: a process that cannot keep up refuses some at once instead of answering all of them
 * late. The operator's paths are never refused, public pages last: they matter most when all is down.
 */
import { randomInt } from 'node:crypto'
import { isOfPage, type Operation, unavailable } from '@status-page/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type EventLoopMonitor, monitorEventLoop } from './event-loop-monitor.ts'

/** At 100 µs a request these are answered within a tenth of a second, unless they wait for others. */
const MAX_IN_FLIGHT = 1_000
const MAX_PUBLIC_IN_FLIGHT = 4_000
/** Spread, so that those who were refused together do not come back together. */
const RETRY_AFTER_SECONDS = { min: 1, max: 5 }

type Priority = 'system' | 'public' | 'ordinary'

export interface LoadSheddingOptions {
  eventLoop: EventLoopMonitor
  maxInFlight: number
  maxPublicInFlight: number
}

const defaultOptions = (): LoadSheddingOptions => ({
  eventLoop: monitorEventLoop(),
  maxInFlight: MAX_IN_FLIGHT,
  maxPublicInFlight: MAX_PUBLIC_IN_FLIGHT,
})

export const registerLoadShedding = (
  fastify: FastifyInstance,
  { eventLoop, maxInFlight, maxPublicInFlight }: LoadSheddingOptions = defaultOptions(),
): void => {
  let inFlight = 0
  const onResponseClosed = () => {
    inFlight--
  }
  const isRefused: Record<Priority, () => boolean> = {
    system: () => false,
    public: () => inFlight > maxPublicInFlight,
    ordinary: () => inFlight > maxInFlight || eventLoop.isOverloaded(),
  }
  fastify.addHook('onRequest', (request, reply, done) => {
    const { operation } = request.routeOptions.config
    if (operation === undefined || !isStream(operation)) {
      inFlight++
      // A client that goes away never finishes its answer, but every answer is closed.
      reply.raw.once('close', onResponseClosed)
    }
    done(isRefused[priorityOf(request)]() ? overloaded() : undefined)
  })
  fastify.addHook('onClose', async () => eventLoop.stop())
}

const priorityOf = ({ routeOptions }: FastifyRequest): Priority => {
  if (isSystemPath(routeOptions.url ?? '')) return 'system'
  const { operation } = routeOptions.config
  const isPublic =
    operation !== undefined && (isPublicReading(operation) || isPageReading(operation))
  return isPublic ? 'public' : 'ordinary'
}

const systemPaths: ReadonlySet<string> = new Set(['/health', '/readyz', '/metrics'])

/** Asked by the operator's machinery: no limits, no caller. */
export const isSystemPath = (path: string): boolean => systemPaths.has(path)

/** What anybody may read any page may read, without credentials. */
export const isPublicReading = ({ method, path, base }: Operation): boolean =>
  method === 'GET' && base !== 'root' && path.startsWith('/public/')

/** A status page, its data and its files, which one gate of core guards. */
export const isPageReading = (operation: Operation): boolean =>
  operation.method === 'GET' && operation.permission === 'public' && isOfPage(operation)

/** Kept open while nothing is done for it; counted and bounded where it is opened. */
export const isStream = ({ produces }: Operation): boolean =>
  produces?.includes('text/event-stream') ?? false

const overloaded = () =>
  unavailable(
    'Too many requests are in progress',
    randomInt(RETRY_AFTER_SECONDS.min, RETRY_AFTER_SECONDS.max + 1),
  )
