/** Composition of the gateway: routes, forwarding, page cache, event handlers and jobs. */
import { fastifyCookie } from '@fastify/cookie'
import {
  eventStreamOperations,
  isInternal,
  operations,
  pageLiveOperations,
} from '@status-page/contracts'
import {
  createDnsResolver,
  createOutbound,
  type Outbound,
  outboundPolicy,
  type TextResolver,
} from '@status-page/outbound'
import type { Job } from '@status-page/postgres'
import { createPasswords, type Passwords } from '@status-page/secrets'
import {
  type CallerSigner,
  createErasure,
  erasedAddressHandler,
  keyRotationJob,
  ownHostsOf,
  type Resources,
  type Route,
  type ServiceApp,
  serve,
} from '@status-page/service'
import type { FastifyInstance } from 'fastify'
import { apiKeyRoutes } from './access/api-keys/routes.ts'
import { domainRoutes } from './access/domains/routes.ts'
import { acceptInvitationRoutes } from './access/invitations/accept.ts'
import { invitationRoutes } from './access/invitations/routes.ts'
import { memberRoutes } from './access/members/routes.ts'
import { organizationDeletionRoutes } from './access/organization/deletion.ts'
import { organizationExportRoutes } from './access/organization/export.ts'
import { organizationRoutes } from './access/organization/routes.ts'
import { roleRoutes } from './access/roles/routes.ts'
import { samlRetentionJob } from './access/single-sign-on/jobs.ts'
import { samlRoutes } from './access/single-sign-on/routes.ts'
import type { AccountPageDeps } from './account-pages/deps.ts'
import { registerErrorDocuments } from './account-pages/error-documents.ts'
import { createPendingLogin } from './account-pages/pending-login.ts'
import { accountPageRoutes } from './account-pages/routes.ts'
import { ACCOUNT_PATH, NEW_PAGE_PATH } from './account-pages/visitor.ts'
import { auditEventHandlers } from './audit/handlers.ts'
import { auditRetentionJob } from './audit/jobs.ts'
import { createOwnEntriesSync } from './audit/own-entries.ts'
import { auditRoutes } from './audit/routes.ts'
import type { GatewayConfig } from './config.ts'
import { registerCertificateHosts } from './custom-domains/certificate-hosts.ts'
import { createUrlRewrite } from './custom-domains/request-rewrite.ts'
import { DASHBOARD_PATH, registerDashboard } from './dashboard/routes.ts'
import { registerDocs } from './docs/routes.ts'
import { callerOf, registerAuthentication } from './edge/authenticate.ts'
import { createClientNetworkOf } from './edge/client-network.ts'
import { type EventLoopMonitor, monitorEventLoop } from './edge/event-loop-monitor.ts'
import { isPageRead } from './edge/load-shedding.ts'
import { registerPageReadiness } from './edge/page-readiness.ts'
import { recordPermissionDenials } from './edge/permission-denials.ts'
import { edgeServerOptions, registerEdge } from './edge/server.ts'
import { erasureReceiptHandler } from './erasure/handlers.ts'
import { deletionEndJob, deletionStartJob } from './erasure/jobs.ts'
import { erasureParts } from './erasure/parts.ts'
import { logErasure } from './erasure/redaction.ts'
import { createEventHub, type EventHub } from './events/event-hub.ts'
import { eventStreamBounds } from './events/event-stream-quota.ts'
import { eventLogHandler } from './events/handlers.ts'
import { eventRetentionJob } from './events/jobs.ts'
import { eventRoutes, registerEventStream } from './events/routes.ts'
import { registerForwarding } from './forwarding/forward.ts'
import { createPageServices, type PageServices } from './forwarding/page-services.ts'
import { accountErasureRoutes } from './identity/account/removal.ts'
import { authRoutes } from './identity/account/routes.ts'
import { emailRoutes } from './identity/email-verification/routes.ts'
import { identityRetentionJob } from './identity/login/jobs.ts'
import { sessionRoutes } from './identity/login/session-routes.ts'
import { twoFactorRoutes } from './identity/login/two-factor-routes.ts'
import { passwordRoutes } from './identity/password/routes.ts'
import { createSandbox } from './identity/saml/sandbox.ts'
import { type Credentials, createCredentials } from './identity/sessions/credentials.ts'
import { deviceCookie } from './identity/sessions/device-cookie.ts'
import { createLastUsedRecorder, type LastUsedRecorder } from './identity/sessions/last-used.ts'
import {
  createReplicaRegistry,
  type ReplicaRegistry,
} from './identity/sessions/replica-registry.ts'
import { sessionCookie } from './identity/sessions/session-cookie.ts'
import type { SessionOptions } from './identity/sessions/sessions.ts'
import type { AccountOptions } from './identity/sessions/verify-password.ts'
import { announceSetupLink, createSetupLink } from './identity/setup/setup-link.ts'
import { sealedTotpSecrets } from './identity/two-factor/key-rotation.ts'
import { acceptAllPasswords, isCommonPassword } from './identity/users/common-passwords.ts'
import { type Counting, createCounting } from './limits/counting.ts'
import { limitJobs } from './limits/jobs.ts'
import { registerLimiter } from './limits/limiter.ts'
import { registerCacheFastPath } from './page-cache/fast-path.ts'

/** Operations that the gateway forwards; internal operations are unreachable from outside. */
export const forwardedOperations = operations.filter(
  (operation) => operation.service !== 'gateway' && !isInternal(operation),
)

/**
 * Event streams: gateway operations with routes of their own. The forwarding routes serve those of
 * pages together with the pages.
 */
const streamOperations = [
  ...Object.values(pageLiveOperations),
  ...Object.values(eventStreamOperations),
]

/** Clients of external hosts; tests inject their own. */
export interface ExternalClients {
  outbound: Outbound
  resolver: TextResolver
}

export type GatewayResources = Omit<Resources<GatewayConfig>, 'client'> & {
  externalClients?: ExternalClients
  /** Tests inject one without overload. */
  eventLoop?: EventLoopMonitor
  /** Tests inject some with cheap hashes. */
  passwords?: Passwords
}

export const buildApp = (resources: GatewayResources): ServiceApp => {
  const { config, database, signer } = resources
  if (signer === null) throw new Error('CALLER_PRIVATE_KEY is required to forward requests')
  const lastUsed = createLastUsedRecorder(database)
  const identity = createIdentity(resources, lastUsed)
  const { credentials, replicas } = identity
  const counting = createSharedCounting(resources)
  const account = createAccountOptions(identity, resources)
  const externalClients = resources.externalClients ?? openExternalClients(config)
  const pages = createPageServices({ ...resources, signer, credentials })
  const accountPages = createAccountPages(account, pages, resources)
  const eventHub = createEventHubOf(resources, credentials)
  const server = { identity, account, externalClients, signer, counting, pages, eventHub }
  const http = createServer({ ...server, accountPages }, resources)
  const deletion = deletionWork(resources, { credentials, pages })
  return {
    http,
    restore: pages.restore,
    eventHandlers: reactionsOf(resources),
    jobs: [
      replicas.heartbeat,
      lastUsed.flush,
      ...storageJobs(resources),
      ...limitJobs(database, counting),
      ...pages.jobs,
      ...deletion.jobs,
    ],
    jobsWithBus: deletion.jobsWithBus,
    prepare: () => announceSetupLink(accountPages.setupLink),
    background: [
      credentialListener(credentials),
      replicaMembership(replicas, counting),
      pages.background,
      eventHub.background,
      { start: async () => {}, stop: () => externalClients.outbound.close() },
    ],
  }
}

interface ServerDeps extends GatewayRouteDeps {
  counting: Counting
  pages: PageServices
  accountPages: AccountPageDeps
  eventHub: EventHub
}

/** Public HTTP server: own operations, forwarded ones, pages, documents and the dashboard. */
const createServer = (deps: ServerDeps, resources: GatewayResources): FastifyInstance => {
  const { identity, signer, counting, pages, accountPages, eventHub } = deps
  const { config, database, metrics } = resources
  return serve({
    ...resources,
    routes: [...gatewayRoutes(deps, resources), ...accountPageRoutes(accountPages)],
    forwarded: [...forwardedOperations, ...streamOperations],
    identify: callerOf,
    exposure: 'public',
    isServedAtStart: isPageRead,
    fastify: edgeServerOptions(config.TRUST_PROXY_CIDRS, createUrlRewrite(pages.domains)),
    async extra(fastify) {
      await registerCookieParser(fastify)
      const limiter = await registerLimiter(fastify, counting, config)
      const networkOf = createClientNetworkOf(config.TRUST_PROXY_CIDRS)
      const fastPath = registerCacheFastPath(fastify, { ...pages, metrics, limiter, networkOf })
      registerEdge(fastify, resources.eventLoop ?? monitorEventLoop())
      registerAuthentication(fastify, { ...identity, baseUrl: config.BASE_URL, limiter })
      registerErrorDocuments(fastify, config.BASE_URL)
      recordPermissionDenials(fastify, database)
      const upstreams = { origins: originsOf(config), pages: { ...pages, fastPath } }
      registerForwarding(fastify, { operations: forwardedOperations, signer, ...upstreams })
      registerEventStream(fastify, eventHub)
      registerPageReadiness(fastify, { health: resources.health, pages })
      registerCertificateHosts(fastify, { domains: pages.domains, baseUrl: config.BASE_URL })
      fastify.closing.addEventListener('abort', () => pages.events.close())
      await Promise.all([registerDocs(fastify), registerDashboard(fastify, config)])
    },
  })
}

const createIdentity = (
  { config, database }: GatewayResources,
  lastUsed: LastUsedRecorder,
): SessionOptions => {
  const cookie = sessionCookie(config.BASE_URL)
  const replicas = createReplicaRegistry(database)
  const credentials = createCredentials({ database, cookie, replicas, lastUsed })
  return { database, cookie, credentials, replicas }
}

/** Loads the parser for `session-cookie.ts`; without the hook, the plugin parses no cookies itself. */
const registerCookieParser = (fastify: FastifyInstance) =>
  fastify.register(fastifyCookie, { hook: false })

/** Retention and key rotation. */
const storageJobs = (resources: GatewayResources): Job[] => {
  const { config, database } = resources
  return [
    identityRetentionJob(database),
    auditRetentionJob(database, config.AUDIT_RETENTION_DAYS),
    eventRetentionJob(database),
    samlRetentionJob(database),
    keyRotationJob({ ...resources, sources: [sealedTotpSecrets(resources)] }),
  ]
}

const reactionsOf = (resources: GatewayResources) => [
  ...auditEventHandlers,
  eventLogHandler,
  erasureReceiptHandler,
  erasedAddressHandler({ ...resources, eraseOwn: logErasure(resources) }),
]

/** Jobs of the deletion of organizations, in this service and across services. */
const deletionWork = (
  resources: GatewayResources,
  { credentials, pages }: { credentials: Credentials; pages: PageServices },
): Required<Pick<ServiceApp, 'jobs' | 'jobsWithBus'>> => {
  const { database, logger } = resources
  const purgePages = (organizationId: string) => pages.cache.purge(organizationId)
  return {
    jobs: [
      deletionStartJob({ database, credentials, purgePages, logger }),
      createErasure(resources, erasureParts).job,
    ],
    jobsWithBus: ({ purge }) => [deletionEndJob({ database, purgeMessages: purge, logger })],
  }
}

const createAccountOptions = (
  identity: SessionOptions,
  {
    config,
    sealer,
    passwords = createPasswords(),
  }: Pick<GatewayResources, 'config' | 'sealer' | 'passwords'>,
): AccountOptions => ({
  ...identity,
  passwords,
  device: deviceCookie({ baseUrl: config.BASE_URL, secret: config.SESSION_SECRET }),
  sealer,
  isCommon: config.PASSWORD_DENYLIST === 'on' ? isCommonPassword : acceptAllPasswords,
})

const createAccountPages = (
  account: AccountOptions,
  { core, cache }: PageServices,
  { config, database, sealer }: GatewayResources,
): AccountPageDeps => {
  const baseUrl = config.BASE_URL
  return {
    baseUrl,
    account: { ...account, isRegistrationOpen: config.REGISTRATION === 'open' },
    setupLink: createSetupLink({ database, baseUrl, secret: config.SESSION_SECRET }),
    pendingLogin: createPendingLogin({ baseUrl, sealer }),
    core,
    purgePages: (organizationId) => cache.purge(organizationId),
    rootPage: config.ROOT_PAGE,
    ...pathsAfterLogin(config),
  }
}

const createEventHubOf = (
  { config, database, logger, metrics }: GatewayResources,
  credentials: Credentials,
): EventHub => {
  const bounds = eventStreamBounds(config.RATE_LIMIT_MULTIPLIER)
  const hub = createEventHub({ database, credentials, bounds, logger })
  metrics.watch('event_streams', () => ({ open: hub.openStreams() }), {
    open: 'Open streams of the event log',
  })
  return hub
}

const pathsAfterLogin = ({ DASHBOARD_DIR }: GatewayConfig) =>
  DASHBOARD_DIR === undefined
    ? { homePath: ACCOUNT_PATH, firstPath: NEW_PAGE_PATH }
    : { homePath: DASHBOARD_PATH, firstPath: `${DASHBOARD_PATH}/start` }

const openExternalClients = (config: GatewayConfig): ExternalClients => {
  const resolver = createDnsResolver()
  const policy = outboundPolicy({
    allowCidrs: config.OUTBOUND_ALLOW_CIDRS,
    ownHosts: ownHostsOf(config),
    resolver,
  })
  return { outbound: createOutbound({ policy }), resolver }
}

interface GatewayRouteDeps {
  identity: SessionOptions & { replicas: ReplicaRegistry }
  account: AccountOptions
  externalClients: ExternalClients
  signer: CallerSigner
}

/** Routes of the gateway's own operations. */
const gatewayRoutes = (
  { identity, account, externalClients, signer }: GatewayRouteDeps,
  resources: GatewayResources,
): Route[] => {
  const { config } = resources
  const baseUrl = config.BASE_URL
  return [
    ...authRoutes({ ...account, isRegistrationOpen: config.REGISTRATION === 'open' }),
    ...passwordRoutes(account),
    ...emailRoutes(account),
    ...sessionRoutes(identity),
    ...twoFactorRoutes({ ...account, issuer: new URL(baseUrl).hostname }),
    ...tenantRoutes(account, resources),
    ...samlRoutes({
      ...identity,
      ...externalClients,
      baseUrl,
      sandbox: createSandbox(),
      metrics: resources.metrics,
    }),
    ...domainRoutes(externalClients),
    ...organizationExportRoutes({ database: account.database, signer, origins: originsOf(config) }),
  ]
}

/** Routes of the organization: members, rights, API keys and audit log. */
const tenantRoutes = (account: AccountOptions, resources: GatewayResources): Route[] => [
  ...acceptInvitationRoutes(account),
  ...apiKeyRoutes(account),
  ...organizationRoutes(account),
  ...organizationDeletionRoutes(account),
  ...accountErasureRoutes(account),
  ...memberRoutes(account),
  ...invitationRoutes(account),
  ...roleRoutes(account),
  ...auditRoutes(createOwnEntriesSync(resources)),
  ...eventRoutes(),
]

const createSharedCounting = ({ database, logger }: GatewayResources) =>
  createCounting({
    database,
    onOutage: (isOut, error) =>
      isOut
        ? logger.warn({ err: error }, 'rate limits are counted in memory')
        : logger.info('rate limits are shared again'),
  })

/** Registration of the replica; stores local charges before it leaves. */
const replicaMembership = ({ join, leave }: ReplicaRegistry, { sync }: Counting) => ({
  start: join,
  async stop() {
    await sync()
    await leave()
  },
})

const credentialListener = (credentials: { listen(): Promise<{ close(): Promise<void> }> }) => {
  let subscription: { close(): Promise<void> } | null = null
  return {
    async start() {
      subscription = await credentials.listen()
    },
    async stop() {
      await subscription?.close()
    },
  }
}

const originsOf = (config: GatewayConfig) => ({
  core: config.CORE_URL,
  monitor: config.MONITOR_URL,
  notifier: config.NOTIFIER_URL,
  integrations: config.INTEGRATIONS_URL,
  'config-sync': config.CONFIG_SYNC_URL,
})
