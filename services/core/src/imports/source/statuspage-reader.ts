/**
 * Reads the documents of a page at Statuspage: those of its public API, or of the v1 API with a
 * key. The key is sent to the v1 API only.
 */
import {
  type AppError,
  invalid,
  type OutboundError,
  StatuspageDocuments,
} from '@status-page/contracts'
import {
  type Outbound,
  type OutboundResult,
  parseUntrustedJson,
  StepBudget,
  StepBudgetError,
} from '@status-page/outbound'
import { compileDecoder, compileValidator } from '@status-page/service'
import { downloadProblems } from './download-problems.ts'

const API_ORIGIN = 'https://api.statuspage.io'
/** Limits of all documents of a page together. */
const MAX_BYTES = 4 * 1024 * 1024
const TIMEOUT_MS = 25_000
/** About 0.5 s of processor time for each document. */
const JSON_STEPS = 250_000_000
/** Entries per page of a list of the v1 API, and pages of a list. */
const PAGE_SIZE = 100
const MAX_LIST_PAGES = 50

export interface StatuspageSource {
  url: string
  apiKey?: string
}

type JsonObject = Record<string, unknown>
/** `ifRefused` replaces a document of a feature that the page does not have. */
type ReadDocument = (
  url: string,
  headers?: Readonly<Record<string, string>>,
  ifRefused?: unknown,
) => Promise<unknown>

const decode = compileDecoder(StatuspageDocuments)
const validate = compileValidator(StatuspageDocuments, 'documents')

/** `apiOrigin` is that of the v1 API; tests use their own. */
export const readStatuspage = async (
  outbound: Pick<Outbound, 'request'>,
  { url, apiKey }: StatuspageSource,
  apiOrigin = API_ORIGIN,
): Promise<StatuspageDocuments> => {
  const page = url.replace(/\/+$/, '')
  const read = boundedReader(outbound)
  const found =
    apiKey === undefined
      ? await publicDocuments(read, page)
      : await managedDocuments(read, { page, apiKey, apiOrigin })
  const documents = decode(found) as StatuspageDocuments
  const [issue] = validate(documents)
  if (issue !== undefined) throw unreadable('url', `cannot be imported: ${issue.message}`)
  return documents
}

const publicDocuments = async (read: ReadDocument, page: string): Promise<JsonObject> => {
  const summary = objectOf(await read(`${page}/api/v2/summary.json`))
  const incidents = objectOf(await read(`${page}/api/v2/incidents.json`))
  const maintenances = objectOf(await read(`${page}/api/v2/scheduled-maintenances.json`))
  return {
    page: summary.page,
    components: summary.components,
    incidents: incidents.incidents,
    scheduled_maintenances: maintenances.scheduled_maintenances,
  }
}

interface ManagedPage {
  page: string
  apiKey: string
  apiOrigin: string
}

const managedDocuments = async (
  read: ReadDocument,
  { page, apiKey, apiOrigin }: ManagedPage,
): Promise<JsonObject> => {
  const id = await pageIdOf(read, page, apiOrigin)
  const at = `${apiOrigin}/v1/pages/${encodeURIComponent(id)}`
  const readPart = (path: string, ifRefused?: unknown) =>
    read(`${at}${path}`, { authorization: `OAuth ${apiKey}` }, ifRefused)
  const readList = async (path: string, sizeName: string, ifRefused?: []): Promise<unknown[]> => {
    const items: unknown[] = []
    for (let number = 1; number <= MAX_LIST_PAGES; number++) {
      const entries = await readPart(`${path}?page=${number}&${sizeName}=${PAGE_SIZE}`, ifRefused)
      if (!Array.isArray(entries)) throw unreadable('url', 'is not a page of Statuspage')
      items.push(...entries)
      if (entries.length < PAGE_SIZE) break
    }
    return items
  }
  return {
    page: objectOf(await readPart('')),
    component_groups: await readList('/component-groups', 'per_page'),
    components: await readList('/components', 'per_page'),
    // Includes the maintenances.
    incidents: await readList('/incidents', 'limit'),
    incident_templates: await readList('/incident_templates', 'per_page', []),
    metrics: await readList('/metrics', 'per_page', []),
  }
}

/** Id in a URL of the v1 API, or in the public document of the page. */
const pageIdOf = async (read: ReadDocument, page: string, apiOrigin: string): Promise<string> => {
  const pages = `${apiOrigin}/v1/pages/`
  const id = page.startsWith(pages)
    ? page.slice(pages.length)
    : objectOf(objectOf(await read(`${page}/api/v2/summary.json`)).page).id
  if (typeof id !== 'string' || !/^\w{1,64}$/.test(id)) {
    throw unreadable('url', 'is not a page of Statuspage')
  }
  return id
}

/** The documents share one limit of size and one deadline. */
const boundedReader = (outbound: Pick<Outbound, 'request'>): ReadDocument => {
  const endsAt = performance.now() + TIMEOUT_MS
  let bytesLeft = MAX_BYTES
  return async (url, headers = {}, ifRefused = undefined) => {
    const timeoutMs = Math.ceil(endsAt - performance.now())
    if (timeoutMs <= 0) throw unreadableUrl('timeout')
    const response = await outbound.request({
      url,
      method: 'GET',
      headers: { accept: 'application/json', ...headers },
      timeoutMs,
      maxBodyBytes: bytesLeft,
      onOverflow: 'fail',
    })
    const isRefused = response.ok && featureRefusals.includes(response.status)
    if (isRefused && ifRefused !== undefined) return ifRefused
    const body = bodyOf(response, headers)
    bytesLeft -= body.byteLength
    return jsonOf(body)
  }
}

const OK = 200
const UNAUTHORIZED = 401
const FORBIDDEN = 403
const NOT_FOUND = 404
/** Statuspage refuses lists of features that a page does not have. */
const featureRefusals: readonly number[] = [FORBIDDEN, NOT_FOUND]

const bodyOf = (response: OutboundResult, headers: Readonly<Record<string, string>>): Buffer => {
  if (!response.ok) throw unreadableUrl(response.error)
  const { status, body } = response
  const isRefused = status === UNAUTHORIZED || status === FORBIDDEN
  if (isRefused && headers.authorization !== undefined) {
    throw unreadable('apiKey', 'is not accepted by Statuspage')
  }
  if (status !== OK) throw unreadable('url', `could not be read: status ${status}`)
  return body
}

const jsonOf = (body: Buffer): unknown => {
  try {
    const value = parseUntrustedJson(body.toString('utf8'), new StepBudget(JSON_STEPS))
    if (value !== undefined) return value
  } catch (error) {
    if (!(error instanceof StepBudgetError)) throw error
  }
  throw unreadable('url', 'is not a page of Statuspage')
}

const objectOf = (value: unknown): JsonObject => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as JsonObject
  }
  throw unreadable('url', 'is not a page of Statuspage')
}

const unreadableUrl = (error: OutboundError): AppError =>
  unreadable('url', `could not be read: ${downloadProblems[error]}`)

const unreadable = (field: 'url' | 'apiKey', problem: string): AppError =>
  invalid({ field, message: `${field} ${problem}` })
