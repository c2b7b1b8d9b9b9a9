/**
 * Loopback ports for children, and whether a port can be had at all.
 * Invariant: no port is given twice, neither by this process nor by another one that uses this file. A
 * child listens seconds after its port was chosen, and a stranger that answers there would pass for it.
 */
import { createServer } from 'node:net'

/** Below the ephemeral ranges of Linux and macOS, so no outgoing connection takes the port meanwhile. */
const FIRST_PORT = 20_000
const BLOCKS = 240
const PORTS_PER_BLOCK = 50
const ATTEMPTS = 100

/** What is left of the block that this process holds. */
let unused: number[] = []
let turn: Promise<unknown> = Promise.resolve()

export function freePort(): Promise<number> {
  const port = turn.then(nextPort)
  turn = port.catch(() => {})
  return port
}

async function nextPort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (unused.length === 0) unused = await claimBlock()
    const port = unused.shift()
    if (port !== undefined && (await bindFault('127.0.0.1', port)) === null) return port
  }
  throw noneFree()
}

/** Who listens at the first port of a block gives away the others, for as long as it lives. */
async function claimBlock(): Promise<number[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const first = FIRST_PORT + Math.floor(Math.random() * BLOCKS) * PORTS_PER_BLOCK
    if (await hold(first)) {
      return Array.from({ length: PORTS_PER_BLOCK - 1 }, (_, index) => first + 1 + index)
    }
  }
  throw noneFree()
}

function hold(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', () => resolve(false))
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => resolve(true)).unref()
  })
}

const noneFree = () =>
  new Error(`No free port from ${FIRST_PORT} to ${FIRST_PORT + BLOCKS * PORTS_PER_BLOCK - 1}.`)

/** Why nothing can listen there (`EADDRINUSE`, `EACCES`, …), or null. */
export function bindFault(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)))
  })
}
