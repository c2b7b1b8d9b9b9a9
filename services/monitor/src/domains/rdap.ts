/**
 * RDAP client: expiry of the registration of a domain, from the server of its registry (RFC 9082,
 * RFC 9083). The bootstrap file names the servers by top-level domain (RFC 9224).
 */
import {
  type Outbound,
  parseUntrustedJson,
  StepBudget,
  StepBudgetError,
} from '@status-page/outbound'
import { getWithRedirects } from '../redirected-get.ts'
import { asObject, objectsIn, timeOf } from '../untrusted-values.ts'

/**
 * `no_server`: the registry has no RDAP server; `failed`: the server is unreachable, or its
 * response is not RDAP.
 */
export type RdapResult =
  | { state: 'registered'; expiresAt: string | null }
  | { state: 'not_registered' | 'no_server' | 'failed' }

export interface RdapClient {
  /** Never rejects for a fault of a server. */
  query(domain: string): Promise<RdapResult>
}

export interface RdapClientOptions {
  outbound: Pick<Outbound, 'request'>
  bootstrapUrl: string
  /** Epoch milliseconds. */
  now: () => number
}

const TIMEOUT_MS = 10_000
const MAX_BODY_BYTES = 1024 * 1024
/** About 16 ms of parsing. */
const MAX_STEPS = 8_000_000
const BOOTSTRAP_MS = 86_400_000
const NOT_FOUND = 404
const OK = 200

/** URLs of RDAP servers by top-level domain. */
type Servers = ReadonlyMap<string, string>

export const createRdapClient = (options: RdapClientOptions): RdapClient => {
  const { outbound, bootstrapUrl, now } = options
  let servers: { byDomain: Servers; loadedAtMs: number } | null = null
  const get = (url: string) => getJson(outbound, url)

  /** Servers of the bootstrap file, loaded once a day; the last ones when it is unreachable. */
  const loadServers = async (): Promise<Servers | null> => {
    if (servers !== null && now() - servers.loadedAtMs < BOOTSTRAP_MS) return servers.byDomain
    const { json } = await get(bootstrapUrl)
    const byDomain = serversIn(json)
    if (byDomain !== null) servers = { byDomain, loadedAtMs: now() }
    return servers?.byDomain ?? null
  }

  return {
    async query(domain) {
      const known = await loadServers()
      if (known === null) return { state: 'failed' }
      const server = known.get(domain.slice(domain.lastIndexOf('.') + 1))
      if (server === undefined) return { state: 'no_server' }
      const { status, json } = await get(new URL(`domain/${domain}`, server).href)
      if (status === NOT_FOUND) return { state: 'not_registered' }
      if (status !== OK || !isDomainObject(json)) return { state: 'failed' }
      return { state: 'registered', expiresAt: expiryIn(json) }
    },
  }
}

interface JsonResponse {
  /** Status of the response; null without one. */
  status: number | null
  /** Value of the body; undefined when it is not JSON. */
  json?: unknown
}

const getJson = async (
  outbound: RdapClientOptions['outbound'],
  url: string,
): Promise<JsonResponse> => {
  const response = await getWithRedirects(outbound, url, {
    headers: { accept: 'application/rdap+json, application/json' },
    timeoutMs: TIMEOUT_MS,
    maxBodyBytes: MAX_BODY_BYTES,
  })
  if (!response.ok) return { status: null }
  return { status: response.status, json: jsonOf(response.body) }
}

const jsonOf = (body: Buffer): unknown => {
  try {
    return parseUntrustedJson(body.toString('utf8'), new StepBudget(MAX_STEPS))
  } catch (error) {
    if (error instanceof StepBudgetError) return undefined
    throw error
  }
}

/** `{ "services": [[["com"], ["https://…/"]], …] }`; null for anything else. */
const serversIn = (json: unknown): Servers | null => {
  const { services } = asObject(json)
  if (!Array.isArray(services)) return null
  const servers = new Map<string, string>()
  for (const entry of services) {
    const [domains, urls] = Array.isArray(entry) ? entry : []
    const url = textsIn(urls).find((one) => URL.canParse(one))
    if (url === undefined) continue
    const base = url.endsWith('/') ? url : `${url}/`
    for (const domain of textsIn(domains)) servers.set(domain.toLowerCase(), base)
  }
  return servers
}

const isDomainObject = (json: unknown): boolean => asObject(json).objectClassName === 'domain'

/** Date of the event `expiration`, ISO 8601; null for a registry that does not publish it. */
const expiryIn = (json: unknown): string | null => {
  const { events } = asObject(json)
  const expiration = objectsIn(events).find(({ eventAction }) => eventAction === 'expiration')
  return timeOf(expiration?.eventDate)
}

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
