/** Public pages at the edge: what is kept of them, under which names they are found, who tells of changes. */
import { join } from 'node:path'
import type { Database, Job } from '@status-page/postgres'
import {
  type BackgroundWork,
  type CallerSigner,
  createClient,
  type Logger,
} from '@status-page/service'
import type { Credentials } from '../auth/credentials.ts'
import type { GatewayConfig } from '../config.ts'
import { createPageDomains, type PageDomains } from '../custom-domains/custom-domains.ts'
import { createDisk, noDisk } from '../page-cache/disk-store.ts'
import { createPageListener } from '../page-cache/invalidation-listener.ts'
import { createMemory } from '../page-cache/memory-store.ts'
import { createPageAnswers, MAX_STALE_MS, type PageCache } from '../page-cache/page-cache.ts'
import { createLive, type PageEventHub } from '../page-events/page-events.ts'

const TIDY_MS = 3_600_000

export interface Pages {
  answers: PageCache
  live: PageEventHub
  domains: PageDomains
  due: Job[]
  background: BackgroundWork
}

interface Deps {
  config: GatewayConfig & { CORE_URL?: string | undefined }
  database: Database
  logger: Logger
  signer: CallerSigner
  credentials: Pick<Credentials, 'onRevoked'>
}

export const createPages = (deps: Deps): Pages => {
  const { config, database, logger, signer, credentials } = deps
  const folder = config.PAGE_CACHE_DIR ?? null
  const onError = (error: unknown) => logger.warn({ err: error }, 'the page cache on disk failed')
  const disk = folder === null ? noDisk : createDisk(join(folder, 'answers'), onError)
  const origin = config.CORE_URL
  const core = origin ? createClient({ origin, service: 'core', signer }) : null
  const answers = createPageAnswers({ memory: createMemory(), disk })
  const domains = createPageDomains({ core, folder, onError })
  const live = createLive({ answers })
  const listener = createPageListener({ database, logger, answers })
  credentials.onRevoked((revocationKey) => live.endRevoked(revocationKey))
  const tidying: Job = {
    name: 'page-cache',
    intervalMs: TIDY_MS,
    async run() {
      await disk.tidy(MAX_STALE_MS)
      return 0
    },
  }
  return {
    answers,
    live,
    domains,
    due: folder === null ? [domains.refresh] : [domains.refresh, tidying],
    background: {
      async start() {
        await domains.restore()
        await listener.start()
      },
      async stop() {
        await listener.stop()
        await Promise.all([disk.settled(), core?.close()])
      },
    },
  }
}
