/** Forwards operations of other services with a signed caller, over a pool of connections. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { Semaphore } from '@status-page/concurrency'
import {
  DEFAULT_BODY_LIMIT,
  fullPath,
  isWrite,
  type Operation,
  PAGE_DOMAIN_HEADER,
  pageLiveOperations,
  type ServiceName,
  unavailable,
} from '@status-page/contracts'
import {
  ADDRESS_HEADER,
  AGENT_HEADER,
  authorizeCall,
  CALLER_HEADER,
  type CallerSigner,
  REQUEST_ID_HEADER,
  removeUnusedContentType,
} from '@status-page/service'
import { traceHeaders } from '@status-page/tracing'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { pageDomainOf } from '../custom-domains/request-rewrite.ts'
import { isPageRead } from '../edge/load-shedding.ts'
import { addressNetworkOf } from '../limits/limiter.ts'
import { cacheKey } from '../page-cache/cache-key.ts'
import { type CacheFastPath, MAX_TEXT_BYTES } from '../page-cache/fast-path.ts'
import type { PageRequest } from '../page-cache/page-cache.ts'
import { encodeBody, sendCached } from '../page-cache/reply.ts'
import { sendStream } from '../page-events/reply.ts'
import { RETRY_AFTER_SECONDS, serviceUnavailable } from '../upstream/faults.ts'
import { requestUpstream, type UpstreamResponse } from '../upstream/upstream-request.ts'
import { createUpstreams, type Upstream } from '../upstream/upstreams.ts'
import { headersToForward, headersToReturn, pathToForward } from './message.ts'
import type { PageServices } from './page-services.ts'

const MAX_AGENT_LENGTH = 512

/**
 * Bounds of the requests of one page that core processes at once: its readers never occupy core,
 * also where their responses are not cached (private pages, lists with many queries).
 */
const PAGE_READS = {
  slotsPerKey: 16,
  maxWaitingPerKey: 256,
  maxWaiting: 4_000,
  waitMs: 5_000,
  rejectionMessage: 'Too many concurrent requests of this page',
}

export interface ForwardingOptions {
  operations: readonly Operation[]
  origins: Readonly<Partial<Record<ServiceName, string | undefined>>>
  signer: CallerSigner
  /** Page cache and events; without them every request is forwarded. */
  pages?: PageRequestServices
  /** Response timeout; tests set a shorter one. */
  responseTimeoutMs?: number
}

type PageRequestServices = Pick<PageServices, 'cache' | 'events'> & { fastPath: CacheFastPath }

/**
 * Registers the routes in a context of their own: bodies are limited in size and forwarded
 * unparsed.
 */
export const registerForwarding = (fastify: FastifyInstance, options: ForwardingOptions): void => {
  const upstreams = createUpstreams(options.responseTimeoutMs)
  const pageReads = new Semaphore(PAGE_READS)
  fastify.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )
    scope.addHook('onClose', () => upstreams.close())
    for (const operation of options.operations) {
      const origin = options.origins[operation.service]
      registerOperation(scope, operation, {
        upstream: origin === undefined ? null : upstreams.of(origin),
        signer: options.signer,
        pages: options.pages ?? null,
        pageReads,
      })
    }
  })
}

interface RouteContext {
  /** Null where no origin is configured. */
  upstream: Upstream | null
  signer: CallerSigner
  pages: PageRequestServices | null
  /** Slots of requests to core, by the slug of the page. */
  pageReads: Semaphore
}

const registerOperation = (
  fastify: FastifyInstance,
  operation: Operation,
  context: RouteContext,
) => {
  const forward = createForward(operation, context)
  const { pages } = context
  if (pages === null || !isPageRead(operation)) {
    return route(fastify, operation, forwardHandler(operation, pages, forward))
  }
  const toPageRequest = cacheRequestOf(operation, forward, context.pageReads)
  route(fastify, operation, cachedPageHandler(operation, pages, toPageRequest))
  const livePath = `${operation.path}/live`
  const events = Object.values(pageLiveOperations).find(({ path }) => path === livePath)
  if (events !== undefined) route(fastify, events, pageEventsHandler(events, pages, toPageRequest))
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

const route = (fastify: FastifyInstance, operation: Operation, handler: Handler) => {
  fastify.route({
    method: operation.method,
    url: fullPath(operation).replaceAll(/\{([^}]+)\}/g, ':$1'),
    bodyLimit: operation.bodyLimit ?? DEFAULT_BODY_LIMIT,
    config: { operation },
    onRequest: (request, _reply, done) => {
      removeUnusedContentType(request, operation)
      authorizeCall(operation, request.identified.caller)
      done()
    },
    handler,
  })
}

/** Forwards the request; `revalidation.etag` replaces its If-None-Match. */
type Forward = (
  request: FastifyRequest,
  revalidation?: { etag: string | undefined },
) => Promise<UpstreamResponse>

const createForward = (operation: Operation, { upstream, signer }: RouteContext): Forward => {
  const { service, method } = operation
  const toUpstreamHeaders = headersToForward(operation)
  const toUpstreamPath = pathToForward(operation)
  return (request, revalidation) => {
    if (upstream === null) throw serviceUnavailable(service)
    const headers = toUpstreamHeaders(request.headers)
    if (revalidation !== undefined) setIfNoneMatch(headers, revalidation.etag)
    addOrigin(headers, request)
    headers[CALLER_HEADER] = signer.sign(request.identified.caller, service)
    Object.assign(headers, traceHeaders())
    return requestUpstream(upstream, operation, {
      method,
      path: toUpstreamPath(request.params as Record<string, string>, request.url),
      headers,
      body: (request.body as Buffer | undefined) ?? null,
    })
  }
}

const setIfNoneMatch = (headers: Record<string, string>, etag: string | undefined): void => {
  delete headers['if-none-match']
  if (etag !== undefined) headers['if-none-match'] = etag
}

type ToPageRequest = (request: FastifyRequest) => PageRequest

const cacheRequestOf = (
  operation: Operation,
  forward: Forward,
  pageReads: Semaphore,
): ToPageRequest => {
  const toUpstreamPath = pathToForward(operation)
  return (request) => {
    const params = request.params as Record<string, string>
    const key = cacheKey(operation, {
      path: toUpstreamPath(params, request.url),
      accept: request.headers.accept,
      domain: pageDomainOf(request.raw),
    })
    const { slug = '' } = params
    return {
      key,
      acceptLanguage: request.headers['accept-language'],
      slug,
      load: (etag) => pageReads.run(() => forward(request, { etag }), slug),
    }
  }
}

/** Maximum of consecutive responses that are dropped because access to the page changed. */
const MAX_REVOKED_RESPONSES = 3

/** Serves pages from the cache; a response that is not public goes to this request alone. */
const cachedPageHandler =
  (
    operation: Operation,
    { cache, fastPath }: PageRequestServices,
    toPageRequest: ToPageRequest,
  ): Handler =>
  async (request, reply) => {
    const pageRequest = toPageRequest(request)
    for (let attempt = 0; attempt < MAX_REVOKED_RESPONSES; attempt++) {
      const served = await cache.serve(pageRequest)
      if (served.kind === 'passthrough') return sendResponse(reply, served.response, operation)
      const body = await encodeBody(request, served)
      // Access may have been revoked while the body was compressed.
      if (cache.isRevoked(served.entry)) continue
      return sendCached(request, reply, { served, body }, (stored) => {
        fastPath.remember(request, reply, { ...stored, key: pageRequest.key, operation })
      })
    }
    throw unavailable('Access to the page is being changed', RETRY_AFTER_SECONDS)
  }

const NO_CONTENT = 204

/** Opens an event stream; callers without access get the page's own response. */
const pageEventsHandler =
  (operation: Operation, { events }: PageRequestServices, toPageRequest: ToPageRequest): Handler =>
  async (request, reply) => {
    const { sessionHash: tokenHash, caller } = request.identified
    const { organizationId } = caller
    const session = tokenHash === null ? null : { tokenHash, organizationId }
    const opened = await events.open(toPageRequest(request), {
      address: addressNetworkOf(request.ip),
      session,
    })
    if (opened.kind === 'passthrough') return sendResponse(reply, opened.response, operation)
    if (opened.kind === 'no-events') return reply.code(NO_CONTENT).send()
    return sendStream(request, reply, opened.stream)
  }

const MIN_REFUSAL = 400

/**
 * Invalidates the organization's cached pages after a successful write, so that callers read their
 * own writes.
 */
const forwardHandler =
  (operation: Operation, pages: PageRequestServices | null, forward: Forward): Handler =>
  async (request, reply) => {
    const response = await forward(request)
    const { organizationId } = request.identified.caller
    if (isWrite(operation) && response.status < MIN_REFUSAL && organizationId !== null) {
      if (operation.id.startsWith('status-pages.')) pages?.cache.purge(organizationId)
      else pages?.cache.invalidate(organizationId)
    }
    return sendResponse(reply, response, operation)
  }

const addOrigin = (headers: Record<string, string>, request: FastifyRequest): void => {
  headers[REQUEST_ID_HEADER] = request.id
  headers[ADDRESS_HEADER] = request.ip
  const agent = request.headers['user-agent']?.slice(0, MAX_AGENT_LENGTH)
  if (agent) headers[AGENT_HEADER] = agent
  const domain = pageDomainOf(request.raw)
  if (domain !== undefined) headers[PAGE_DOMAIN_HEADER] = domain
}

const sendResponse = (
  reply: FastifyReply,
  { status, headers, body }: UpstreamResponse,
  operation: Operation,
) => {
  reply.code(status).headers(headersToReturn(headers, operation))
  // Restricted content must not be readable by other sites that are open in the same browser.
  if (status < 400 && headers['cache-control'] === 'no-store') {
    reply.removeHeader('access-control-allow-origin')
  }
  return reply.send(isShortJson(headers, body) ? body.toString() : body)
}

const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * Returns whether the body is sent as text, which Node writes with the head as one buffer: a
 * response of bare Fastify then takes 50 instead of 54 µs of processor time.
 */
const isShortJson = (headers: IncomingHttpHeaders, body: Buffer | Readable): body is Buffer =>
  headers['content-type'] === JSON_TYPE && Buffer.isBuffer(body) && body.length <= MAX_TEXT_BYTES
