/**
 * What Node's parser refuses never becomes a request: the answer is written to the socket. Never a second
 * one for a message that has its answer: the client would take it for that of its next request.
 */
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { AppError, invalid } from '@status-page/contracts'
import type { FastifyInstance } from 'fastify'
import { REQUEST_ID_HEADER } from './error-handler.ts'

type Answer = Pick<ServerResponse, 'headersSent' | 'req' | 'writableFinished' | 'once'>

/** The newest answer of each connection, begun or not. */
const answers = new WeakMap<Socket, Answer>()

export const rememberAnswers = ({ server }: FastifyInstance): void => {
  server.on('request', (request, response) => answers.set(request.socket, response))
}

export const answerClientError = (error: Error & { code?: string }, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const answer = answers.get(socket)
  const isAnswered = answer !== undefined && !answer.req.complete && answer.headersSent
  const end = () => {
    if (socket.writable) socket.end(isAnswered ? '' : messageOf(error))
  }
  // Answers go out in the order of their requests: one that is still being made comes first.
  const isFirst = answer !== undefined && (isAnswered || answer.req.complete)
  if (isFirst && !answer.writableFinished) answer.once('finish', end)
  else end()
}

const messageOf = ({ code = '' }: { code?: string }): string => {
  const refusal = clientRefusals[code]?.() ?? malformed()
  const body = JSON.stringify(refusal.toBody())
  const lines = [
    `HTTP/1.1 ${refusal.status} ${reasons[refusal.status]}`,
    `${REQUEST_ID_HEADER}: ${randomUUID()}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    'connection: close',
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

/** Of the statuses below, as RFC 9110 and 6585 have them. */
const reasons: Record<number, string> = {
  400: 'Bad Request',
  431: 'Request Header Fields Too Large',
}

const malformed = () => invalid({ field: 'request', message: 'The request is not valid HTTP' })

const clientRefusals: Record<string, () => AppError> = {
  HPE_HEADER_OVERFLOW: () => new AppError('HEADERS_TOO_LARGE', 'The headers exceed 16 KiB'),
  ERR_HTTP_REQUEST_TIMEOUT: () =>
    invalid({ field: 'request', message: 'The request did not arrive in time' }),
}
