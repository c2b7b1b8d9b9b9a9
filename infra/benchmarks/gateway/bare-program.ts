/** Yardstick: a bare Fastify server that responds with the given bytes. */
import Fastify from 'fastify'
import { serveProcessorTime } from '../measure/cpu.ts'

const [text = '{}'] = process.argv.slice(2)
const body = Buffer.from(text)
const fastify = Fastify()
fastify.get('/answer', (_request, reply) => reply.type('application/json').send(body))
serveProcessorTime(fastify)
process.send?.(await fastify.listen({ host: '127.0.0.1', port: 0 }))
