/**
 * Which host names lead to which pages. Core is asked for all of them now and then and never while a
 * request waits; the last known ones stand on disk, for a start while core is down.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pageDomainOperations } from '@status-page/contracts'
import type { Job } from '@status-page/postgres'
import { anonymousCaller, type Client } from '@status-page/service'

/** A new domain is looked for every ten minutes: nobody waits for these few seconds. */
const REFRESH_MS = 10_000
const REQUEST_TIMEOUT_MS = 5_000
/** Services start in any order: so long a core that was never there is no fault. */
const STARTUP_RETRY_MS = 60_000
const RETRY_MS = 1_000
/** About 100 bytes each. */
const MAX_DOMAINS = 100_000

/** A page under a name of its own. */
export interface CustomDomainTarget {
  domain: string
  slug: string
}

export interface CustomDomains {
  /** Null for a host that leads to no page. */
  targetOf(host: string | undefined): CustomDomainTarget | null
  refresh: Job
  /** What the disk still knows. */
  restore(): Promise<void>
}

interface Deps {
  /** Null where no core is configured. */
  core: Client | null
  /** Null: in memory only. */
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

/** Without port and final dot. */
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
