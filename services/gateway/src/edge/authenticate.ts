/**
 * Authentication of every request, in this order: rate buckets of the address, credential, rate
 * buckets of the caller, same-site check. Permission and body are checked later, so that a rejected
 * request costs little.
 */
import {
  forbidden,
  isAccountPage,
  isStatusPageOperation,
  type Operation,
  unauthorized,
} from '@status-page/contracts'
import type { Database } from '@status-page/postgres'
import { hashToken } from '@status-page/secrets'
import { addClientErrorHeaders, directOrigin } from '@status-page/service'
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Credentials } from '../identity/sessions/credentials.ts'
import { isSameSite, needsSameSite } from '../identity/sessions/cross-site.ts'
import {
  type IdentifiedCaller,
  unidentifiedCaller,
} from '../identity/sessions/identified-caller.ts'
import { renewMarkedSession } from '../identity/sessions/renewal.ts'
import type { SessionCookie } from '../identity/sessions/session-cookie.ts'
import { identifyVisitor } from '../identity/sessions/visitor.ts'
import {
  addressCounters,
  callerCounters,
  type LimitedRequest,
  type RateCounter,
} from '../limits/buckets.ts'
import { addressNetworkOf, type Limiter } from '../limits/limiter.ts'
import { edgeHeaders } from './headers.ts'
import { isPublicRead, isSystemPath } from './load-shedding.ts'

declare module 'fastify' {
  interface FastifyRequest {
    identified: IdentifiedCaller
  }
}

export interface AuthenticationOptions {
  baseUrl: string
  database: Database
  cookie: SessionCookie
  credentials: Credentials
  limiter: Limiter
}

/** Paths that are not in the list of operations, with the buckets that they charge. */
const unlistedPaths = [
  { path: /^\/api\/docs(?:\/|$)/, operation: { id: 'docs', bucket: 'public' } },
  { path: /^\/dashboard(?:\/|$)/, operation: { id: 'dashboard', bucket: 'static file' } },
  { path: /^\/favicon\.ico$/, operation: { id: 'favicon', bucket: 'static file' } },
] as const

export const registerAuthentication = (
  fastify: FastifyInstance,
  options: AuthenticationOptions,
): void => {
  const { baseUrl, limiter } = options
  const headers = edgeHeaders(baseUrl)
  const ownOrigin = new URL(baseUrl).origin
  const complete = async (
    request: FastifyRequest,
    reply: FastifyReply,
    authenticated: Promise<void> | undefined,
  ) => {
    await authenticated
    validateIdentified(request, ownOrigin)
    await renewToken(request, reply, options)
  }
  fastify.decorateRequest('identified')
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers)
    request.identified = unidentifiedCaller
    const { operation } = request
    const { config, url: path = '' } = request.routeOptions
    if (isSystemPath(path)) return done()
    if (operation !== undefined && isPublicRead(operation)) {
      reply.header('access-control-allow-origin', '*')
    }
    const limitedRequest = limitedRequestOf(request, path)
    const authenticated = authenticate(request, reply, { limitedRequest, config }, options)
    // Most requests need no query, and then no promise: `benchmark:gateway` shows the difference.
    if (authenticated === undefined && request.identified.toRenew === null) {
      validateIdentified(request, ownOrigin)
      return done()
    }
    complete(request, reply, authenticated).then(() => done(), done)
  })
  // Requests rejected before authentication get headers too, by the counters of this process.
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (request.identified === undefined) {
      reply.headers(headers)
      const { url: path = '' } = request.routeOptions
      const limitedRequest = limitedRequestOf(request, path)
      if (!isSystemPath(path))
        reply.headers(limiter.rejectedHeaders(addressCounters(limitedRequest)))
    }
    done(null, payload)
  })
  addClientErrorHeaders(fastify, ({ remoteAddress = '' }) => {
    const limitedRequest = {
      operation: null,
      address: addressNetworkOf(remoteAddress),
      subject: null,
      hasSession: false,
    }
    return { ...headers, ...limiter.rejectedHeaders(addressCounters(limitedRequest)) }
  })
}

interface Authentication {
  limitedRequest: LimitedRequest
  config: FastifyContextConfig
}

/**
 * Identifies the caller and charges its buckets; returns undefined where no query is needed. A
 * cached credential costs no query, so all buckets are charged at once, with at most one statement.
 */
const authenticate = (
  request: FastifyRequest,
  reply: FastifyReply,
  authentication: Authentication,
  options: AuthenticationOptions,
): Promise<void> | undefined => {
  const { limitedRequest, config } = authentication
  const cached = lookupCachedCredential(options.credentials, request.raw.rawHeaders, config)
  if (cached === null) return authenticateByQuery(request, reply, authentication, options)
  request.identified = cached
  const counters = countersOf(limitedRequest, cached)
  return options.limiter.charge(request, reply, counters)
}

/**
 * The address is charged before a credential is looked up, which limits the queries for forged
 * credentials.
 */
const authenticateByQuery = async (
  request: FastifyRequest,
  reply: FastifyReply,
  { limitedRequest, config }: Authentication,
  { credentials, limiter }: AuthenticationOptions,
): Promise<void> => {
  const { rawHeaders } = request.raw
  const hasSession = readsCredential(config) && credentials.presentsSession(rawHeaders)
  const charged = addressCounters({ ...limitedRequest, hasSession })
  await limiter.charge(request, reply, charged)
  request.identified = await identify(credentials, rawHeaders, config)
  const chargedKeys = charged.map(({ key }) => key)
  const counters = countersOf(limitedRequest, request.identified)
  const others = counters.filter(({ key }) => !chargedKeys.includes(key))
  await limiter.charge(request, reply, others)
}

/** All counters of an identified request. */
const countersOf = (
  limitedRequest: LimitedRequest,
  { rateKey, kind }: IdentifiedCaller,
): RateCounter[] => {
  const identifiedRequest = { ...limitedRequest, hasSession: kind === 'session' }
  return [...addressCounters(identifiedRequest), ...callerCounters(identifiedRequest, rateKey)]
}

/**
 * Returns whether the caller is charged: unknown paths too; public ones are the same for every
 * caller.
 */
const needsCredential = (operation: Operation | undefined): boolean =>
  operation === undefined ||
  (operation.permission !== 'public' && operation.permission !== 'signature')

/** Returns whether a credential counts; on account pages it is optional. */
const readsCredential = ({ operation, isStaticFile = false }: FastifyContextConfig): boolean =>
  !isStaticFile &&
  (needsCredential(operation) || (operation !== undefined && isAccountPage(operation)))

/** Returns whether the request reads a page, whose session is optional. */
const isPageVisit = (operation: Operation | undefined): boolean =>
  operation?.method === 'GET' && isStatusPageOperation(operation) && !needsCredential(operation)

/** Cached credential; null when the database must be queried. */
const lookupCachedCredential = (
  credentials: Credentials,
  rawHeaders: readonly string[],
  config: FastifyContextConfig,
): IdentifiedCaller | null => {
  if (readsCredential(config)) return credentials.lookupCached(rawHeaders)
  return isPageVisit(config.operation) ? null : unidentifiedCaller
}

const identify = (
  credentials: Credentials,
  rawHeaders: readonly string[],
  { operation }: FastifyContextConfig,
): Promise<IdentifiedCaller> =>
  isPageVisit(operation)
    ? identifyVisitor(credentials, rawHeaders)
    : credentials.identify(rawHeaders)

const limitedRequestOf = (request: FastifyRequest, path: string): LimitedRequest => ({
  operation:
    request.operation ??
    unlistedPaths.find((unlisted) => unlisted.path.test(path))?.operation ??
    null,
  address: addressNetworkOf(request.ip),
  subject: request.operation?.permission === 'signature' ? subjectOf(request) : null,
  hasSession: false,
})

/** Hash of the id or token of an inbound webhook in its path: counters must not store a token. */
const subjectOf = ({ params }: FastifyRequest): string | null => {
  const [id] = Object.values((params ?? {}) as Record<string, string>)
  return id === undefined ? null : hashToken(id)
}

/** Checks that follow authentication; a path that is no operation has none. */
const validateIdentified = (request: FastifyRequest, ownOrigin: string) => {
  const { operation } = request
  if (operation === undefined) return
  if (needsSameSite(operation, request.identified.kind)) validateSite(request, ownOrigin)
  if (request.identified.needsEnrolment) validateEnrolment(operation)
}

const validateSite = ({ headers }: FastifyRequest, ownOrigin: string) => {
  const site = {
    fetchSite: headers['sec-fetch-site'] as string | undefined,
    origin: headers.origin,
  }
  if (!isSameSite(site, ownOrigin)) {
    throw forbidden('cross_site', 'Cross-site requests are not allowed')
  }
}

/** Allows a session without a required second factor nothing but its set-up. */
const validateEnrolment = ({ id, path }: Operation) => {
  if (path.startsWith('/auth/') || isAccountPage({ id })) return
  throw forbidden(
    'two_factor_enrolment_required',
    'The organization requires two-factor authentication: set it up first',
  )
}

/** Renews the session token; operations that require a session renew it themselves. */
const renewToken = async (
  request: FastifyRequest,
  reply: FastifyReply,
  { database, cookie }: AuthenticationOptions,
): Promise<void> => {
  const { operation } = request
  const { toRenew } = request.identified
  if (toRenew === null || operation === undefined || operation.permission === 'session') return
  const token = await renewMarkedSession(database, toRenew, directOrigin(request))
  if (token !== null) reply.header('set-cookie', cookie.set(token))
}

/** Caller for `serve`; the hook has authenticated the request already. */
export const callerOf = async (request: FastifyRequest) => {
  if (request.identified === undefined) throw unauthorized()
  return request.identified.caller
}
