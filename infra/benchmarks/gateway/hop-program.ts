/**
 * Yardstick: a bare Fastify server that forwards each GET through a pool of undici with a buffered
 * body, without authentication, limits and validation.
 */
import { CALLER_HEADER } from '@status-page/service'
import Fastify from 'fastify'
import { Pool } from 'undici'
import { serveProcessorTime } from '../measure/cpu.ts'

const CONNECTIONS = 128

const [origin = ''] = process.argv.slice(2)
const pool = new Pool(origin, { connections: CONNECTIONS })
const fastify = Fastify()

serveProcessorTime(fastify)

fastify.get('/*', ({ url, headers }, reply) => {
  const chunks: Buffer[] = []
  const caller = String(headers[CALLER_HEADER])
  pool.dispatch(
    { method: 'GET', path: url, headers: { [CALLER_HEADER]: caller } },
    {
      onRequestStart() {},
      onResponseStart(_controller, status, { 'content-type': type }) {
        reply.code(status).type(String(type))
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk)
      },
      onResponseEnd() {
        reply.send(Buffer.concat(chunks))
      },
      onResponseError(_controller, error) {
        reply.send(error)
      },
    },
  )
})

process.send?.(await fastify.listen({ host: '127.0.0.1', port: 0 }))
