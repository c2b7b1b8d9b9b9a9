/** Public pages at the edge: what is kept of them, under which names they are found, who tells of changes. */
import { join } from 'node:path'
import type { Database, DueWork } from '@status-page/postgres'
import {
  type BackgroundWork,
  type CallerSigner,
  createClient,
  type Logger,
} from '@status-page/service'
import type { Credentials } from '../auth/credentials.ts'
import type { Config } from '../config.ts'
import { createPageAnswers, MAX_STALE_MS, type PageAnswers } from './answers.ts'
import { createDisk, noDisk } from './disk.ts'
import { createPageDomains, type PageDomains } from './domains.ts'
import { createLive, type Live } from './live.ts'
import { createMemory } from './memory.ts'
import { changesOfPages } from './missed.ts'

const TIDY_MS = 3_600_000
const CATCH_UP_AGAIN_MS = 5_000
/** Every change of every service appends to the outbox of its schema, and is told so at its commit. */
const CHANNEL = 'outbox_new'
const WATCHED_SCHEMA = 'core'
/** Told with the organization when who may see a page changes, whatever has changed it. */
const ACCESS_CHANNEL = 'page_access'

export interface Pages {
  answers: PageAnswers
  live: Live
  domains: PageDomains
  due: DueWork[]
  background: BackgroundWork
}

interface Deps {
  config: Config & { CORE_URL?: string | undefined }
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
  credentials.onRevoked((mark) => live.endRevoked(mark))
  const tidying: DueWork = {
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
    background: listening({ database, logger }, answers, {
      start: () => domains.restore(),
      async stop() {
        await Promise.all([disk.settled(), core?.close()])
      },
    }),
  }
}

const listening = (
  { database, logger }: Pick<Deps, 'database' | 'logger'>,
  answers: PageAnswers,
  own: BackgroundWork,
): BackgroundWork => {
  const subscriptions: { close(): Promise<void> }[] = []
  let caughtUp: Promise<void> = Promise.resolve()
  let retry: NodeJS.Timeout | undefined
  const catchUp = async () => {
    clearTimeout(retry)
    try {
      answers.missed(await changesOfPages(database))
    } catch (error) {
      // Whoever closes a page needs Postgres too: what is kept is the best that anybody knows.
      logger.warn({ err: error }, 'closed pages could not be looked for')
      retry = setTimeout(() => void catchUp(), CATCH_UP_AGAIN_MS)
    }
  }
  return {
    async start() {
      await own.start()
      const told = (schema: string) => {
        if (schema === WATCHED_SCHEMA) answers.mayHaveChanged()
      }
      const closed = (organizationId: string) => answers.changed(organizationId, true)
      // Whatever was said before, and between two connections, was not heard.
      const onReady = () => {
        caughtUp = catchUp()
      }
      subscriptions.push(await database.listen(ACCESS_CHANNEL, closed, { onListening: onReady }))
      await caughtUp
      const onListening = () => answers.listens(true)
      subscriptions.push(await database.listen(CHANNEL, told, { onListening }))
    },
    async stop() {
      await Promise.all(subscriptions.map((one) => one.close()))
      clearTimeout(retry)
      await own.stop()
    },
  }
}
