/** Yardstick: a bare Fastify server that responds with the given bytes. */
import Fastify from 'fastify'

const [text = '{}'] = process.argv.slice(2)
const body = Buffer.from(text)
const fastify = Fastify()
fastify.get('/answer', (_request, reply) => reply.type('application/json').send(body))
fastify.get('/metrics', () => {
  const { user, system } = process.cpuUsage()
  return `process_cpu_seconds_total ${(user + system) / 1_000_000}\n`
})
process.send?.(await fastify.listen({ host: '127.0.0.1', port: 0 }))
