/** Yardstick: a bare Fastify server that responds with files read at start, or with 304. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Fastify from 'fastify'
import { serveProcessorTime } from '../measure/cpu.ts'
import { type RecordedResponse, responseNames } from './recorded-responses.ts'

const [folder = ''] = process.argv.slice(2)
const recorded = JSON.parse(readFileSync(join(folder, 'responses.json'), 'utf8')) as Record<
  string,
  RecordedResponse
>
const fastify = Fastify()
for (const name of responseNames) {
  const body = readFileSync(join(folder, name))
  const { headers = {}, etag = '' } = recorded[name] ?? {}
  fastify.get(`/${name}`, (request, reply) => {
    reply.headers(headers)
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.send(body)
  })
}
serveProcessorTime(fastify)
process.send?.(await fastify.listen({ host: '127.0.0.1', port: 0 }))
