/**
 * Response of an authorized request: the handler's reply serialised by the contract's schema, once
 * per idempotency key.
 */
import type { TSchema } from '@sinclair/typebox'
import { DEFAULT_BODY_LIMIT, isInternal, type Operation } from '@status-page/contracts'
import type { Database, MarkEffect } from '@status-page/postgres'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ReceivedBody } from './body.ts'
import { anonymousCaller, createCall, isRaw, type Route } from './call.ts'
import { ADDRESS_HEADER, AGENT_HEADER } from './caller.ts'
import { IDEMPOTENCY_HEADER, type RepeatableResponse, respondOnce } from './idempotency.ts'
import { largeInputReader } from './input.ts'
import type { Logger } from './logger.ts'
import { encodeLongLists, hasLongList, type Serialise } from './long-lists.ts'
import { readMultipartParts } from './multipart.ts'
import { runCooperatively, withTurnsOf } from './run-cooperatively.ts'
import { serialiserOf } from './serialisers.ts'

/** Network origin of a request, recorded with the actor in audit entries. */
export interface RequestOrigin {
  ipAddress: string | null
  userAgent: string | null
}

const MAX_AGENT_LENGTH = 512
const JSON_TYPE = 'application/json; charset=utf-8'

/** Origin as the gateway saw it; only valid after verification of the caller token. */
export const relayedOrigin = ({ headers }: FastifyRequest): RequestOrigin => ({
  ipAddress: textOf(headers[ADDRESS_HEADER]),
  userAgent: textOf(headers[AGENT_HEADER]),
})

export const directOrigin = ({ ip, headers }: FastifyRequest): RequestOrigin => ({
  ipAddress: ip,
  userAgent: textOf(headers['user-agent']),
})

const textOf = (header: string | string[] | undefined): string | null =>
  typeof header === 'string' && header !== '' ? header.slice(0, MAX_AGENT_LENGTH) : null

export interface ResponderOptions {
  database: Database
  originOf: (request: FastifyRequest) => RequestOrigin
}

export const createResponder = (route: Route, options: ResponderOptions) => {
  const { operation } = route
  const respond = responder(route, options)
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const body = request.body as ReceivedBody | undefined
    const repeatable = {
      operation,
      caller: request.caller ?? anonymousCaller,
      path: request.url.split('?', 1)[0] ?? '',
      key: request.headers[IDEMPOTENCY_HEADER],
      body: body?.bytes ?? Buffer.alloc(0),
    }
    const response = await withTurnsOf(repeatable.caller.organizationId, () =>
      respondOnce(options.database, repeatable, (markEffect) =>
        respond(request, reply, markEffect),
      ),
    )
    return reply
      .code(response.status)
      .headers(response.headers)
      .serializer((serialised) => serialised)
      .send(response.body)
  }
}

const responder = ({ operation, handler }: Route, { database, originOf }: ResponderOptions) => {
  const readInput = largeInputReader(operation)
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    markEffect?: MarkEffect,
  ): Promise<RepeatableResponse> => {
    const body = request.body as ReceivedBody | undefined
    const { params, headers, url } = request
    const input = await readInput({ params, url, body, ifMatch: headers['if-match'] })
    const { call, replyHeaders, cookies } = createCall({
      operation,
      params: input.params as never,
      query: input.query as never,
      body: input.body as never,
      issuesExcept: input.issuesExcept,
      ifMatch: input.ifMatch,
      caller: request.caller ?? anonymousCaller,
      requestId: request.id,
      headers,
      rawBody: body === undefined || body.kind === 'json' ? undefined : body.bytes,
      ...originOf(request),
      parts: () => readMultipartParts(request, operation.bodyLimit ?? DEFAULT_BODY_LIMIT),
      database,
      ...(markEffect === undefined ? {} : { markEffect }),
      log: request.log as Logger,
    })
    const result = await handler(call)
    // Set on the reply only: a cookie is never stored for a repeat.
    if (cookies.length > 0) reply.header('set-cookie', cookies)
    return responseOf(operation, reply, result, replyHeaders)
  }
}

const responseOf = async (
  operation: Operation,
  reply: FastifyReply,
  result: unknown,
  replyHeaders: Record<string, string>,
): Promise<RepeatableResponse> => {
  const { status, reply: schema } = operation
  if (isRaw(result)) {
    const headers = { ...replyHeaders, ...result.headers, 'content-type': result.contentType }
    return { status: result.status ?? status, headers, body: result.body }
  }
  // Compiled at the first response, since most routes of a process are rarely used. A service needs
  // no schema to read the reply of another: the validators of its unions took 100 ms at once.
  const serialiserOfPart = (part: TSchema): Serialise =>
    isInternal(operation)
      ? JSON.stringify
      : serialiserOf(part, (schema) => reply.compileSerializationSchema(schema, String(status)))
  const body = hasLongList(schema, result)
    ? await runCooperatively(encodeLongLists(schema, result, serialiserOfPart))
    : serialiserOfPart(schema)(result as Record<string, unknown>)
  return { status, headers: { ...replyHeaders, 'content-type': JSON_TYPE }, body }
}
