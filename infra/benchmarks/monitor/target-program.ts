/**
 * Targets of the checks: one server for every loopback address. It counts requests per target with
 * their times, and does not respond for targets that are listed as hanging. With a certificate and its
 * key (PEM) as parameters it serves TLS. It communicates with its parent over IPC.
 */
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'

export interface TargetArrivals {
  /** Indexes of the targets in the list of targets of the benchmark. */
  indexes: number[]
  /** Arrival times in epoch milliseconds, in the same order. */
  times: number[]
}

const HANG_MS = 60_000

let arrivals: TargetArrivals = { indexes: [], times: [] }
let hanging = 0

const respond: RequestListener = (request, response) => {
  const index = Number((request.url ?? '/').slice(1))
  arrivals.indexes.push(index)
  arrivals.times.push(performance.timeOrigin + performance.now())
  if (index < hanging) setTimeout(() => response.end(), HANG_MS)
  else response.end('{"status":"ok"}')
}

const [cert, key] = process.argv.slice(2)
const server =
  cert === undefined
    ? createServer({ keepAlive: false }, respond)
    : createSecureServer({ keepAlive: false, cert, key }, respond)

process.on('message', (command: { hang?: number; report?: true }) => {
  if (command.hang !== undefined) hanging = command.hang
  if (command.report !== true) return
  process.send?.(arrivals)
  arrivals = { indexes: [], times: [] }
})

server.listen({ host: '0.0.0.0', port: 0, backlog: 4096 }, () => {
  const address = server.address()
  process.send?.(typeof address === 'object' ? address?.port : null)
})
