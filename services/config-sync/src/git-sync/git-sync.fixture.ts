/** Git sync on its own database with a real repository; the apply is scripted. */
import { memoryBus } from '@status-page/bus'
import {
  type ConfigApplyResult,
  type ConfigDrift,
  type EventDraft,
  gitHookOperations,
  gitSyncOperations,
  type NewGitSync,
  type Operation,
  systemActor,
} from '@status-page/contracts'
import { createOutbound, outboundPolicy } from '@status-page/outbound'
import { type OutboxRow, transact } from '@status-page/postgres'
import { createSealer as makeSealer } from '@status-page/secrets'
import { type Caller, createHealth, createLogger, createMetrics, serve } from '@status-page/service'
import {
  GIT_HOST,
  httpsGit,
  type InjectOptions,
  inject,
  makeRepository,
  shiftedClock,
  temporaryFolder,
  testCaller,
  testDatabase,
  testKeys,
} from '@status-page/testing'
import postgres from 'postgres'
import { writeBackHandler } from './handlers.ts'
import { gitHookRoutes } from './hooks.ts'
import { gitSyncJobs } from './jobs.ts'
import { gitSyncRoutes } from './routes.ts'
import type { SyncCounts } from './sync.ts'
import type { SyncDocument } from './sync-document.ts'

interface Teardown {
  teardown(work: () => unknown): void
}

const BASE_URL = 'https://status.test'
export const DOCUMENT = 'apiVersion: v1\nkind: StatusPageConfig\n'

const nothingApplied: ConfigApplyResult = {
  applied: true,
  dryRun: false,
  configVersion: '1',
  created: [],
  updated: [],
  deleted: [],
  unchanged: 0,
  warnings: [],
}

/** Folder without migrations: the other service needs an outbox only. */
const nowhere = import.meta.dirname

export const gitSyncKit = async (t: Teardown) => {
  const databases = await testDatabase(t, {
    services: ['config-sync', 'integrations'],
    folders: { integrations: nowhere },
  })
  const clock = shiftedClock()
  const database = await databases.connect('config-sync', { clock })
  const admin = postgres(databases.adminUrl, { max: 2, onnotice: () => {} })
  t.teardown(() => admin.end())
  const folder = await temporaryFolder(t)
  const parent = await temporaryFolder(t)
  const server = await httpsGit(t, folder)
  const policy = outboundPolicy({
    allowCidrs: ['127.0.0.0/8'],
    ownHosts: [],
    resolver: { resolve: async () => ['127.0.0.1'] },
  })
  const outbound = createOutbound({ policy, extraAuthorities: [server.authority] })
  t.teardown(() => outbound.close())
  const sealer = makeSealer({ current: 'k'.repeat(32) })

  const script = {
    apply: async (_caller: Caller, _document: SyncDocument): Promise<ConfigApplyResult> =>
      nothingApplied,
    drift: [] as ConfigDrift['drift'],
    changed: null as SyncCounts | null,
    exported: DOCUMENT,
  }
  const documents: { caller: Caller; document: Pick<SyncDocument, 'text' | 'commit'> }[] = []
  const deps = {
    database,
    sealer,
    policy,
    outbound,
    baseUrl: BASE_URL,
    pollMinutes: 15,
    git: { policy, authorities: [server.authority], parent, isUsable: async () => true },
    logger: createLogger({ service: 'config-sync', level: 'fatal' }),
    apply: async (caller: Caller, document: SyncDocument) => {
      const applied = await script.apply(caller, document)
      documents.push({ caller, document })
      return applied
    },
    findChanges: async () => script.changed,
    drift: async (): Promise<ConfigDrift> => ({
      totalResources: 1,
      managedByConfig: 1,
      manuallyCreated: 0,
      drift: script.drift,
    }),
    exportDocument: async () => script.exported,
    lastDocument: async () => documents.at(-1)?.document.text ?? null,
  }
  const http = serve({
    service: 'config-sync',
    database,
    logger: deps.logger,
    metrics: createMetrics(),
    health: createHealth(),
    metricsToken: null,
    verifier: testKeys().verifier('config-sync'),
    routes: [...gitSyncRoutes(deps), ...gitHookRoutes(deps)],
  })
  t.teardown(() => http.close())
  const due = gitSyncJobs(deps)
  const others = await databases.database('integrations')
  const bus = memoryBus([
    { database, eventHandlers: [writeBackHandler] },
    { database: others, eventHandlers: [] },
  ])

  const run = async (name: string, signal = new AbortController().signal) =>
    due.find((work) => work.name === name)?.run(signal)
  const hook = (id: string, body: string, headers: Record<string, string>) =>
    inject(http, gitHookOperations.git, {
      params: { id },
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })

  const as = (caller = testCaller()) => {
    const ask = <Op extends Operation>(
      operation: Op,
      options: Omit<InjectOptions, 'caller'> = {},
    ) => inject(http, operation, { caller, ...options })
    return {
      caller,
      organizationId: caller.organizationId,
      ask,
      set: (body: Partial<NewGitSync> & { repositoryUrl: string }) =>
        ask(gitSyncOperations.create, { body: { provider: 'generic', ...body } }),
      sync: () => ask(gitSyncOperations.sync),
      read: async () => (await ask(gitSyncOperations.read)).body,
      history: async () => (await ask(gitSyncOperations.history)).body.data,
      /** Publishes events of integrations and waits for their handlers. */
      publish: async (...events: EventDraft[]) => {
        const by = { organizationId: caller.organizationId, actor: systemActor }
        await transact(others, by, async () => ({ result: undefined, events, audit: [] }))
        await bus.drain()
      },
      audit: async () => {
        const rows = await admin<OutboxRow[]>`SELECT * FROM config_sync.outbox
          WHERE organization_id = ${caller.organizationId} AND kind = 'audit.recorded' ORDER BY seq`
        return rows.map(({ payload }) => payload as { action: string; changes: object })
      },
    }
  }

  let made = 0
  return {
    admin,
    adminUrl: databases.adminUrl,
    clock,
    database,
    documents,
    deps,
    due,
    hook,
    run,
    script,
    sealer,
    server,
    as,
    /** Creates a repository with a document; returns it with its URL. */
    repository: async (text = DOCUMENT, path = 'statuspage.yaml') => {
      const name = `acme/r${++made}`
      const one = await makeRepository(folder, name)
      const commit = await one.write(path, text)
      return { ...one, name, commit, url: `https://${GIT_HOST}:${server.port}/${name}.git` }
    },
  }
}
