/** Reply that sends the events of a page; a HEAD request gets the headers alone. */
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { streamHeaders } from './event-stream.ts'

export const sendStream = (request: FastifyRequest, reply: FastifyReply, stream: Readable) => {
  reply.code(200).headers(streamHeaders)
  if (request.method !== 'HEAD') return reply.send(stream)
  stream.destroy()
  return reply.send('')
}
