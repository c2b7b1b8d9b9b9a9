/**
 * Custom domains and their pages. The list is loaded from core periodically, never during a
 * request; a copy on disk serves a start while core is down.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pageDomainOperations } from '@status-page/contracts'
import type { Job } from '@status-page/postgres'
import { anonymousCaller, type Client } from '@status-page/service'

/**
 * Refresh interval; core checks new domains every ten minutes, so a few seconds more do not matter.
 */
const REFRESH_MS = 10_000
const REQUEST_TIMEOUT_MS = 5_000
/**
 * Time for core to start; until then its absence is no error, because services start in any order.
 */
const STARTUP_RETRY_MS = 60_000
const RETRY_MS = 1_000
/** Maximum number of domains, about 100 bytes each. */
const MAX_DOMAINS = 100_000

/** Page behind a custom domain. */
export interface CustomDomainTarget {
  domain: string
  slug: string
}

export interface CustomDomains {
  /** Page of the host; null for a host without one. */
  targetOf(host: string | undefined): CustomDomainTarget | null
  refresh: Job
  /** Loads the copy on disk. */
  restore(): Promise<void>
}

interface Deps {
  /** Null where no core is configured. */
  core: Client | null
  /** Folder of the copy; null keeps the list in memory only. */
  folder: string | null
  onError(error: unknown): void
}

export const createCustomDomains = ({ core, folder, onError }: Deps): CustomDomains => {
  let slugs: ReadonlyMap<string, string> = new Map()
  let saved = ''
  let isLoaded = false
  const path = folder === null ? null : join(folder, 'domains.json')

  const save = async () => {
    const text = JSON.stringify([...slugs])
    if (path === null || folder === null || text === saved) return
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(`${path}.new`, text, { mode: 0o600 })
    await rename(`${path}.new`, path)
    saved = text
  }

  return {
    targetOf(host) {
      if (slugs.size === 0) return null
      const domain = hostName(host)
      const slug = slugs.get(domain)
      return slug === undefined ? null : { domain, slug }
    },
    refresh: {
      name: 'page-domains',
      intervalMs: REFRESH_MS,
      async run(signal) {
        if (core === null) return 0
        slugs = await (isLoaded ? loadDomains(core) : loadAtStartup(core, signal))
        isLoaded = true
        await save().catch(onError)
        return 0
      },
    },
    async restore() {
      const text = path === null ? null : await readFile(path, 'utf8').catch(() => null)
      if (text === null || slugs.size > 0) return
      try {
        slugs = new Map(JSON.parse(text) as [string, string][])
      } catch (error) {
        onError(error)
      }
    },
  }
}

/** Host name without port and final dot. */
const hostName = (host = ''): string => host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase()

const loadAtStartup = async (core: Client, signal: AbortSignal): Promise<Map<string, string>> => {
  const until = performance.now() + STARTUP_RETRY_MS
  while (performance.now() < until) {
    const found = await loadDomains(core).catch(() => null)
    if (found !== null) return found
    await pause(RETRY_MS, undefined, { signal })
  }
  return loadDomains(core)
}

const loadDomains = async (core: Client): Promise<Map<string, string>> => {
  const found = new Map<string, string>()
  let isLast = false
  let after = ''
  while (!isLast && found.size < MAX_DOMAINS) {
    const batch = await core.call(pageDomainOperations.list, {
      query: { after },
      caller: anonymousCaller,
      timeoutMs: REQUEST_TIMEOUT_MS,
    })
    for (const { domain, slug } of batch.domains) found.set(domain, slug)
    after = batch.domains.at(-1)?.domain ?? after
    isLast = batch.isLast
  }
  return found
}
