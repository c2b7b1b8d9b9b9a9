/** The yardstick: Fastify and nothing else, answering with files that it read, or that they are the same. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Fastify from 'fastify'
import { type Kept, questionNames } from './kept.ts'

const [folder = ''] = process.argv.slice(2)
const kept = JSON.parse(readFileSync(join(folder, 'kept.json'), 'utf8')) as Record<string, Kept>
const fastify = Fastify()
for (const name of questionNames) {
  const body = readFileSync(join(folder, name))
  const { headers = {}, etag = '' } = kept[name] ?? {}
  fastify.get(`/${name}`, (request, reply) => {
    reply.headers(headers)
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.send(body)
  })
}
fastify.get('/metrics', () => {
  const { user, system } = process.cpuUsage()
  return `process_cpu_seconds_total ${(user + system) / 1_000_000}\n`
})
process.send?.(await fastify.listen({ host: '127.0.0.1', port: 0 }))
