/** Public pages at the edge: composes the page cache, the event streams and the custom domains. */
import { join } from 'node:path'
import type { Database, Job } from '@status-page/postgres'
import {
  type BackgroundWork,
  type CallerSigner,
  type Client,
  createClient,
  type Logger,
} from '@status-page/service'
import type { GatewayConfig } from '../config.ts'
import { type CustomDomains, createCustomDomains } from '../custom-domains/custom-domains.ts'
import type { Credentials } from '../identity/sessions/credentials.ts'
import { createDiskStore, noDiskStore } from '../page-cache/disk-store.ts'
import { createPageListener } from '../page-cache/invalidation-listener.ts'
import { createPageCache, MAX_STALE_MS, type PageCache } from '../page-cache/page-cache.ts'
import { createPageEventHub, type PageEventHub } from '../page-events/page-events.ts'

const PRUNE_MS = 3_600_000

export interface PageServices {
  cache: PageCache
  events: PageEventHub
  domains: CustomDomains
  /** Client of core; null where none is configured. */
  core: Client | null
  jobs: Job[]
  background: BackgroundWork
  /** Loads what is served from disk before Postgres responds. */
  restore(): Promise<void>
  /** Whether a page can be served without core and Postgres. */
  hasStoredPages(): boolean
}

interface Deps {
  config: GatewayConfig & { CORE_URL?: string | undefined }
  database: Database
  logger: Logger
  signer: CallerSigner
  credentials: Pick<Credentials, 'onRevoked'>
}

export const createPageServices = (deps: Deps): PageServices => {
  const { config, database, logger, signer, credentials } = deps
  const folder = config.PAGE_CACHE_DIR ?? null
  const onError = (error: unknown) => logger.warn({ err: error }, 'the page cache on disk failed')
  const disk = folder === null ? noDiskStore : createDiskStore(join(folder, 'answers'), onError)
  const origin = config.CORE_URL
  const core = origin ? createClient({ origin, service: 'core', signer }) : null
  const cache = createPageCache({ disk })
  const domains = createCustomDomains({ core, folder, onError })
  const events = createPageEventHub({ cache })
  const listener = createPageListener({ database, logger, cache })
  credentials.onRevoked((revocationKey) => events.endRevoked(revocationKey))
  const pruneJob: Job = {
    name: 'page-cache',
    intervalMs: PRUNE_MS,
    async run() {
      await disk.prune(MAX_STALE_MS)
      return 0
    },
  }
  let isDiskEmpty = true
  return {
    async restore() {
      // Until the listener has caught up, every response is revalidated.
      cache.setInvalidationConnected(false)
      await domains.restore()
      isDiskEmpty = await disk.isEmpty()
    },
    hasStoredPages: () => !(isDiskEmpty && cache.isEmpty()),
    cache,
    events,
    domains,
    core,
    jobs: folder === null ? [domains.refresh] : [domains.refresh, pruneJob],
    background: {
      start: () => listener.start(),
      async stop() {
        await listener.stop()
        await Promise.all([disk.flushed(), core?.close()])
      },
    },
  }
}
