/**
 * Responses to requests that Node's parser rejects, written to the socket. A message that has a
 * response never gets a second one: the client would take it for that of its next request.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError, invalid } from '@status-page/contracts'
import type { FastifyInstance } from 'fastify'
import { commonHeaders, REQUEST_ID_HEADER } from './error-handler.ts'

type Socket = IncomingMessage['socket']
type PendingResponse = Pick<ServerResponse, 'headersSent' | 'req' | 'writableFinished' | 'once'>

/** Newest response of a connection, started or not; the garbage collector would visit a WeakMap. */
const newestResponse = Symbol('newest response')

type TrackedSocket = Socket & { [newestResponse]?: PendingResponse }

export const trackResponses = ({ server }: FastifyInstance): void => {
  server.on('request', ({ socket }: { socket: TrackedSocket }, response) => {
    socket[newestResponse] = response
  })
}

/** Returns additional headers of a response without a request. */
export type ClientErrorHeaders = (socket: Socket) => Readonly<Record<string, string>>

const headersByServer = new WeakMap<object, ClientErrorHeaders>()

export const addClientErrorHeaders = (
  { server }: FastifyInstance,
  headersOf: ClientErrorHeaders,
): void => {
  headersByServer.set(server, headersOf)
}

/** Fastify's `clientErrorHandler`, bound to the instance. */
export function respondToClientError(
  this: FastifyInstance,
  error: Error & { code?: string },
  socket: Socket,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const response = (socket as TrackedSocket)[newestResponse]
  const hasResponse = response !== undefined && !response.req.complete && response.headersSent
  const end = () => {
    if (!socket.writable) return
    socket.end(hasResponse ? '' : messageOf(error, headersByServer.get(this.server)?.(socket)))
  }
  // Responses are sent in the order of their requests, so an unfinished one comes first.
  const isFirst = response !== undefined && (hasResponse || response.req.complete)
  if (isFirst && !response.writableFinished) response.once('finish', end)
  else end()
}

const messageOf = (
  { code = '' }: { code?: string },
  further: Readonly<Record<string, string>> = {},
): string => {
  const refusal = clientRefusals[code]?.() ?? malformed()
  const body = JSON.stringify(refusal.toBody())
  const headers = {
    ...commonHeaders,
    ...further,
    [REQUEST_ID_HEADER]: randomUUID(),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${refusal.status} ${reasons[refusal.status]}\r\n${lines.join('')}\r\n${body}`
}

/** Reason phrases by RFC 9110 and 6585. */
const reasons: Record<number, string> = {
  400: 'Bad Request',
  431: 'Request Header Fields Too Large',
}

const malformed = () => invalid({ field: 'request', message: 'The request is not valid HTTP' })

const clientRefusals: Record<string, () => AppError> = {
  HPE_HEADER_OVERFLOW: () => new AppError('HEADERS_TOO_LARGE', 'The headers exceed 16 KiB'),
  ERR_HTTP_REQUEST_TIMEOUT: () =>
    invalid({ field: 'request', message: 'The request was not received in time' }),
}
