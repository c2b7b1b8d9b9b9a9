/** Documents of another status page, as import requests of bounded size. */
import { readFile } from 'node:fs/promises'

const TIMEOUT_MS = 30_000
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024
/** Below the 5 MiB that the service accepts, with room for the object around the lists. */
export const MAX_REQUEST_BYTES = 4 * 1024 * 1024

/** Lists that are read; the service validates their entries. */
const lists = [
  'component_groups',
  'components',
  'incidents',
  'scheduled_maintenances',
  'incident_templates',
  'metrics',
] as const
type ListName = (typeof lists)[number]
export type StatuspageExport = Partial<Record<ListName, unknown[]> & { page: unknown }>

const published = ['summary', 'incidents', 'scheduled-maintenances']
/** URL of a page in the v1 API, which lists all incidents; the public API lists 50. */
const MANAGED_PAGE = /^https?:\/\/[^/]+\/v1\/pages\/[^/]+$/

/**
 * Returns the public documents of a page, those of the v1 API, which need the key of Statuspage, or
 * the content of a file.
 */
export const readStatuspage = async (
  source: string,
  key: string | undefined,
): Promise<StatuspageExport> => {
  if (!/^https?:\/\//.test(source)) return merged([await readFile(source, 'utf8')], source)
  const page = source.replace(/\/+$/, '')
  if (MANAGED_PAGE.test(page)) return readManagedPage(page, key)
  const texts = []
  for (const name of published) texts.push(await download(`${page}/api/v2/${name}.json`))
  return merged(texts, source)
}

const PAGE_SIZE = 100
const MAX_PAGES = 200

const readManagedPage = async (
  page: string,
  key: string | undefined,
): Promise<StatuspageExport> => {
  if (!key) throw new Error(`${page} needs the API key of Statuspage in STATUSPAGE_KEY`)
  const read = async (path: string): Promise<unknown> =>
    JSON.parse(await download(`${page}${path}`, { authorization: `OAuth ${key}` }))
  const readList = async (path: string, sizeName: string): Promise<unknown[]> => {
    const items: unknown[] = []
    for (let index = 1; index <= MAX_PAGES; index++) {
      const some = await read(`${path}?page=${index}&${sizeName}=${PAGE_SIZE}`)
      if (!Array.isArray(some)) break
      items.push(...some)
      if (some.length < PAGE_SIZE) break
    }
    return items
  }
  const documents = {
    page: await read(''),
    component_groups: await readList('/component-groups', 'per_page'),
    components: await readList('/components', 'per_page'),
    // Includes the maintenances.
    incidents: await readList('/incidents', 'limit'),
    incident_templates: await readList('/incident_templates', 'per_page').catch(noneIfRefused),
    metrics: await readList('/metrics', 'per_page').catch(noneIfRefused),
  }
  return merged([JSON.stringify(documents)], page)
}

/** Statuspage refuses some lists to pages without the feature. */
const noneIfRefused = (error: unknown): [] => {
  if (error instanceof RefusedDownload && featureRefusals.includes(error.status)) return []
  throw error
}

const featureRefusals = [403, 404]

class RefusedDownload extends Error {
  readonly status: number

  constructor(url: string, status: number) {
    super(`${url} returned no document: status ${status}`)
    this.status = status
  }
}

const download = async (url: string, headers: Record<string, string> = {}): Promise<string> => {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  // The key of Statuspage must not follow a redirect.
  const redirect = Object.keys(headers).length === 0 ? 'follow' : 'error'
  const response = await fetch(url, { signal, headers, redirect }).catch(() => null)
  if (response === null) throw new Error(`${url} returned no document`)
  if (!response.ok) throw new RefusedDownload(url, response.status)
  const size = Number(response.headers.get('content-length') ?? 0)
  if (size > MAX_DOCUMENT_BYTES) throw new Error(`The document at ${url} is too large`)
  return response.text()
}

/** Merges the documents: an incident that occurs in several of them is taken once, by its id. */
const merged = (texts: readonly string[], source: string): StatuspageExport => {
  const documents = texts.map((text) => parsed(text, source))
  const entries = lists.flatMap((name): [ListName, unknown[]][] => {
    const items = documents.flatMap((one) => (Array.isArray(one[name]) ? one[name] : []))
    const byId = new Map(items.map((item) => [(item as { id?: unknown } | null)?.id, item]))
    return items.length === 0 ? [] : [[name, [...byId.values()]]]
  })
  const page = documents.find((one) => one.page !== undefined)?.page
  if (entries.length === 0) throw new Error(`${source} contains nothing to import`)
  return { ...(page === undefined ? {} : { page }), ...Object.fromEntries(entries) }
}

const parsed = (text: string, source: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // Invalid JSON gets the same error as JSON of another shape, below.
  }
  throw new Error(`${source} is not a document of a Statuspage`)
}

/** Page and components first, because incidents and maintenances refer to them; usually one request. */
export const splitIntoRequests = (
  { incidents = [], scheduled_maintenances: windows = [], ...parts }: StatuspageExport,
  maxBytes = MAX_REQUEST_BYTES,
): StatuspageExport[] => {
  const whole = { ...parts, incidents, scheduled_maintenances: windows }
  if (sizeOf(whole) <= maxBytes) return [whole]
  return [
    ...(Object.keys(parts).length === 0 ? [] : [parts]),
    ...chunks(incidents, maxBytes).map((chunk) => ({ incidents: chunk })),
    ...chunks(windows, maxBytes).map((chunk) => ({ scheduled_maintenances: chunk })),
  ]
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

const chunks = (items: readonly unknown[], maxBytes: number): unknown[][] => {
  const result: unknown[][] = []
  let room = 0
  for (const item of items) {
    const size = sizeOf(item) + 1
    if (size > room || result.length === 0) {
      result.push([])
      room = maxBytes
    }
    result.at(-1)?.push(item)
    room -= size
  }
  return result
}
