/** Event list and event stream over HTTP. */
import {
  EARLIEST_CURSOR,
  eventOperations,
  eventStreamOperations,
  fullPath,
  MAX_EVENT_LIST,
  type Query,
  unauthorized,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import {
  authorizeCall,
  createRoutes,
  inputReader,
  type Route,
  rawReply,
} from '@status-page/service'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendStream } from '../page-events/reply.ts'
import { positionOfCursor } from './cursor.ts'
import type { EventHub } from './event-hub.ts'
import { entryText, readCursor, selectKinds, toClientCursor } from './rules.ts'
import { type LogRow, readEventsOfKinds } from './store.ts'

type StreamHub = Pick<EventHub, 'open' | 'close'>

/** Maximum bytes of the payloads of a page. */
const LIST_BYTES = 1_024 * 1_024

export const eventRoutes = (): Route[] =>
  createRoutes(eventOperations, {
    async list({ query, caller, read }) {
      const kinds = selectKinds(caller.grants, query.kinds)
      const cursor = readCursor(query.after ?? EARLIEST_CURSOR, 'after')
      const limit = Math.min(query.limit, MAX_EVENT_LIST)
      const body = await read((scope) => listText(scope, { cursor, kinds, limit }))
      return rawReply({ contentType: 'application/json; charset=utf-8', body })
    },
  })

interface ListRequest {
  cursor: string
  kinds: readonly string[]
  limit: number
}

/** Page as JSON. After the last page, the cursor is the newest event of any kind. */
const listText = async (scope: Scope, { cursor, kinds, limit }: ListRequest): Promise<string> => {
  const { head, position } = await positionOfCursor(scope, cursor)
  const until = head?.position ?? 0
  const rows = await readEventsOfKinds(scope, kinds, {
    after: position,
    until,
    // One more, to know whether more events follow.
    limit: limit + 1,
    maxBytes: LIST_BYTES,
  })
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const hasMore = last !== undefined && (rows.length > limit || bytesOf(page) >= LIST_BYTES)
  const end = head !== null && until >= position ? head.eventId : cursor
  const meta = { nextAfter: toClientCursor(hasMore ? last.eventId : end), hasMore }
  return `{"data":[${page.map(entryText).join()}],"meta":${JSON.stringify(meta)}}`
}

const bytesOf = (rows: readonly LogRow[]): number =>
  rows.reduce((bytes, { payload }) => bytes + Buffer.byteLength(payload), 0)

/**
 * Registers the stream outside of the operations with one reply: it also needs the headers, and the
 * method for HEAD. Streams end when the server begins to close.
 */
export const registerEventStream = (fastify: FastifyInstance, hub: StreamHub): void => {
  const operation = eventStreamOperations.stream
  const readInput = inputReader(operation)
  fastify.closing.addEventListener('abort', () => hub.close())
  fastify.route({
    method: operation.method,
    url: fullPath(operation),
    config: { operation },
    onRequest: (request, _reply, done) => {
      authorizeCall(operation, request.identified.caller)
      done()
    },
    handler: async (request, reply) => {
      const { url, params } = request
      const input = readInput({ params, url, body: undefined, ifMatch: undefined })
      return openStream(hub, request, reply, input.query as Query<typeof operation>)
    },
  })
}

type StreamQuery = Query<typeof eventStreamOperations.stream>

const LAST_EVENT_ID = 'last-event-id'

const openStream = async (
  hub: StreamHub,
  request: FastifyRequest,
  reply: FastifyReply,
  { after, kinds }: StreamQuery,
) => {
  const { caller, tokenHash, rateKey } = request.identified
  const { organizationId } = caller
  if (organizationId === null || tokenHash === null || rateKey === null) throw unauthorized()
  const lastEventId = lastEventIdOf(request)
  const stream = await hub.open({
    organizationId,
    tokenHash,
    rateKey,
    rawHeaders: request.raw.rawHeaders,
    grants: caller.grants,
    named: kinds,
    cursor: lastEventId ?? (after === undefined ? null : readCursor(after, 'after')),
    isReconnect: lastEventId !== null,
  })
  return sendStream(request, reply, stream)
}

/** Cursor of a reconnect; browsers omit the header before the first event. */
const lastEventIdOf = ({ headers }: FastifyRequest): string | null => {
  const header = headers[LAST_EVENT_ID]
  if (header === undefined || header === '') return null
  return readCursor(String(header), 'Last-Event-ID')
}
