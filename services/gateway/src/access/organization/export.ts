/**
 * Export of an organization as NDJSON: one line per resource, read page by page as fast as the
 * client consumes them, so that memory stays bounded. Resources of other services come from their
 * own list operations, without secrets.
 */
import { Readable } from 'node:stream'
import { withTimeout } from '@status-page/concurrency'
import {
  configurationOperations,
  forbidden,
  fullPath,
  type Operation,
  organizationExportOperations,
  type ServiceName,
  unavailable,
} from '@status-page/contracts'
import { type Database, read } from '@status-page/postgres'
import {
  CALLER_HEADER,
  type Call,
  type Caller,
  type CallerSigner,
  createRoutes,
  type Route,
  rawReply,
} from '@status-page/service'
import { sql } from 'drizzle-orm'
import { grantorOf } from '../rights/grant-authorization.ts'
import {
  type ForwardedSource,
  forwardedSources,
  hiddenColumns,
  type StoredSource,
  storedSources,
} from './export-sources.ts'
import { readOrganization } from './store.ts'
import { organizationReplyOf } from './view.ts'

const PAGE_SIZE = 100
const TIMEOUT_MS = 30_000

export interface ExportDeps {
  database: Database
  signer: CallerSigner
  origins: Readonly<Partial<Record<ServiceName, string | undefined>>>
}

export const organizationExportRoutes = (deps: ExportDeps): Route[] =>
  createRoutes(organizationExportOperations, {
    async export(call) {
      const organization = await call.read(async (scope) => {
        const { isOwner } = await grantorOf(scope, call.caller)
        if (!isOwner) throw forbidden('owner_required', 'Only an OWNER can export the organization')
        return organizationReplyOf(await readOrganization(scope))
      })
      return rawReply({
        contentType: 'application/x-ndjson; charset=utf-8',
        headers: { 'content-disposition': 'attachment; filename="organization.ndjson"' },
        body: Readable.from(loggingFailure(linesOf(deps, call, organization), call.log), {
          highWaterMark: 1,
        }),
      })
    },
  })

/**
 * Logs a failure and rethrows it, which closes the connection, so that the client sees an
 * incomplete file.
 */
async function* loggingFailure(lines: AsyncIterable<string | Uint8Array>, log: Call['log']) {
  try {
    yield* lines
  } catch (error) {
    log.error({ err: error }, 'Export of an organization failed')
    throw error
  }
}

async function* linesOf(deps: ExportDeps, call: Call, organization: object) {
  yield lineOf('organization', organization)
  for (const source of storedSources) yield* storedLines(deps.database, call.organizationId, source)
  for (const source of forwardedSources) yield* forwardedLines(deps, call.caller, source)
  const { export: configuration } = configurationOperations
  const response = await requestService(deps, call.caller, configuration, fullPath(configuration))
  if (!response.ok && response.status !== 409) throw failureOf(configuration, response)
  // Some configurations do not fit into a document (409); the lines above contain all their
  // resources.
  yield lineOf('configuration', { document: response.ok ? await response.text() : null })
}

const lineOf = (kind: string, data: unknown): string => `${JSON.stringify({ kind, data })}\n`

async function* storedLines(
  database: Database,
  organizationId: string,
  { kind, table, key }: StoredSource,
) {
  const column = sql.identifier(key)
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const rows = await read(database, organizationId, ({ tx }) =>
      tx.execute<{ key: string; data: Record<string, unknown> }>(sql`
        SELECT ${column} AS key, to_jsonb(r) - ${sql.param(hiddenColumns)}::text[] AS data
        FROM ${sql.identifier(table)} r WHERE organization_id = ${organizationId}
          AND ${column} > ${after} ORDER BY ${column} LIMIT ${PAGE_SIZE}`),
    )
    if (rows.length > 0) yield rows.map(({ data }) => lineOf(kind, data)).join('')
    if (rows.length < PAGE_SIZE) return
    after = rows.at(-1)?.key ?? after
  }
}

interface Item {
  id?: string
}

async function* forwardedLines(
  deps: ExportDeps,
  caller: Caller,
  source: ForwardedSource,
  parentId?: string,
): AsyncGenerator<string | Uint8Array> {
  for await (const items of pagesOf(deps, caller, source, parentId)) {
    if (source.item === undefined) {
      yield items.map((item) => lineOf(source.kind, belowParent(item, parentId))).join('')
    } else {
      for (const { id } of items)
        yield* itemLine(deps, caller, { kind: source.kind, id, ...source.item })
    }
    for (const child of source.children ?? []) {
      for (const { id } of items) yield* forwardedLines(deps, caller, child, id)
    }
  }
}

interface ExportedItem extends NonNullable<ForwardedSource['item']> {
  kind: string
  id: string | undefined
}

/** Line of one item, which is copied without parsing: an incident has up to 50 MB of updates. */
async function* itemLine(
  deps: ExportDeps,
  caller: Caller,
  { kind, operation, include, id = '' }: ExportedItem,
) {
  const path = fullPath(operation).replace('{id}', id)
  const target = `${path}?${new URLSearchParams({ include })}`
  const response = await requestService(deps, caller, operation, target)
  // The item was deleted during the export.
  if (response.status === 404) return
  if (!response.ok || response.body === null) throw failureOf(operation, response)
  yield `{"kind":${JSON.stringify(kind)},"data":`
  yield* response.body
  yield '}\n'
}

const belowParent = (item: Item, parentId: string | undefined) =>
  parentId === undefined ? item : { parentId, ...item }

async function* pagesOf(
  deps: ExportDeps,
  caller: Caller,
  source: ForwardedSource,
  parentId: string | undefined,
): AsyncGenerator<Item[]> {
  const { operation, pageSize = PAGE_SIZE } = source
  const path = fullPath(operation).replace('{id}', parentId ?? '{id}')
  for (let page = 1; ; page++) {
    const query = new URLSearchParams(isList(operation) ? pageQuery(page, pageSize) : {})
    const response = await requestService(deps, caller, operation, `${path}?${query}`)
    if (response.status === 404 && canBeAbsent(source, parentId)) return
    if (!response.ok) throw failureOf(operation, response)
    const body = (await response.json()) as Item & { data?: Item[] }
    const items = isList(operation) ? (body.data ?? []) : [body]
    if (items.length > 0) yield items
    if (items.length < pageSize) return
  }
}

const failureOf = ({ id }: Operation, { status }: Response) =>
  unavailable(`The export operation ${id} responded with status ${status}`)

/**
 * Returns whether 404 is expected: an optional resource, or a resource of an item that was deleted
 * during the export.
 */
const canBeAbsent = ({ isOptional }: ForwardedSource, parentId: string | undefined) =>
  isOptional === true || parentId !== undefined

const pageQuery = (page: number, pageSize: number): Record<string, string> => ({
  page: String(page),
  pageSize: String(pageSize),
})

const isList = ({ query }: Operation): boolean => query?.properties.pageSize !== undefined

const requestService = (
  { signer, origins }: ExportDeps,
  caller: Caller,
  operation: Operation,
  target: string,
): Promise<Response> => {
  const origin = origins[operation.service]
  if (origin === undefined) throw unavailable(`${operation.service} is not available`)
  const aborting = new AbortController()
  const response = fetch(`${new URL(origin).origin}${target}`, {
    headers: { [CALLER_HEADER]: signer.sign(caller, operation.service) },
    signal: aborting.signal,
  })
  // Ends at the headers: the client determines how fast a body is read.
  return withTimeout(response, TIMEOUT_MS, () => {
    aborting.abort()
    throw unavailable(`${operation.service} did not respond in time`)
  })
}
