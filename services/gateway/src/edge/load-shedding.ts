/**
 * Load shedding: an overloaded process rejects some requests at once instead of answering all of
 * them late. System paths are never rejected; public pages and static files last: they matter most
 * during an outage.
 */
import { randomInt } from 'node:crypto'
import {
  isStatusPageOperation,
  type Operation,
  unavailable,
  uploadOperations,
} from '@status-page/contracts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CERTIFICATE_HOSTS_PATH } from '../custom-domains/certificate-hosts.ts'
import type { EventLoopMonitor } from './event-loop-monitor.ts'
import { PAGE_READINESS_PATH } from './page-readiness.ts'

/** At 100 µs per request these take a tenth of a second, unless they wait for other services. */
const MAX_IN_FLIGHT = 1_000
const MAX_PUBLIC_IN_FLIGHT = 4_000
/** Retry delays are spread, so that rejected clients do not return together. */
const RETRY_AFTER_SECONDS = { min: 1, max: 5 }

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * File of the dashboard or icon: the same for every caller, so that no credential is looked up,
     * and refused as late as a public page.
     */
    isStaticFile?: boolean
  }
}

type Priority = 'system' | 'public' | 'ordinary'

export interface LoadSheddingOptions {
  eventLoop: EventLoopMonitor
  maxInFlight?: number
  maxPublicInFlight?: number
}

export const registerLoadShedding = (
  fastify: FastifyInstance,
  options: LoadSheddingOptions,
): void => {
  const { eventLoop } = options
  const { maxInFlight = MAX_IN_FLIGHT, maxPublicInFlight = MAX_PUBLIC_IN_FLIGHT } = options
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
    const { operation } = request
    if (operation === undefined || !isEventStream(operation)) {
      inFlight++
      // A response is always closed, but never finished when the client disconnects.
      reply.raw.once('close', onResponseClosed)
    }
    done(isRefused[priorityOf(request)]() ? overloaded() : undefined)
  })
  fastify.addHook('onClose', async () => eventLoop.stop())
}

const priorityOf = (request: FastifyRequest): Priority => {
  const { operation } = request
  if (operation !== undefined) {
    return isPublicRead(operation) || isPageRead(operation) ? 'public' : 'ordinary'
  }
  const { url = '', config } = request.routeOptions
  if (isSystemPath(url)) return 'system'
  return config.isStaticFile === true ? 'public' : 'ordinary'
}

const systemPaths: ReadonlySet<string> = new Set([
  '/health',
  '/readyz',
  '/metrics',
  PAGE_READINESS_PATH,
  CERTIFICATE_HOSTS_PATH,
])

/** System paths of the operator: no limits, no authentication. */
export const isSystemPath = (path: string): boolean => systemPaths.has(path)

/** Public read: data that every origin may read without credentials. */
export const isPublicRead = ({ method, path, base }: Operation): boolean =>
  method === 'GET' && base !== 'root' && path.startsWith('/public/')

/** Read of a status page, its data, files or images, whose access core checks. */
export const isPageRead = (operation: Operation): boolean =>
  operation.method === 'GET' &&
  operation.permission === 'public' &&
  (isStatusPageOperation(operation) || operation.id === uploadOperations.image.id)

/** Event stream: open without work in progress; counted and limited by its own quota. */
export const isEventStream = ({ produces }: Operation): boolean =>
  produces?.includes('text/event-stream') ?? false

const overloaded = () =>
  unavailable(
    'Too many requests are in progress',
    randomInt(RETRY_AFTER_SECONDS.min, RETRY_AFTER_SECONDS.max + 1),
  )
