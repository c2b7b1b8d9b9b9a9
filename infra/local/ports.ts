/**
 * Loopback ports for child processes, and checks whether a port is available. Invariant: no port is
 * allocated twice, by this process or another one that uses this file. A child listens seconds after
 * its port was chosen, and another program that listens there would be mistaken for it.
 */
import { createServer } from 'node:net'

/**
 * Below the ephemeral ranges of Linux and macOS, so that no outgoing connection takes the port
 * before the child listens.
 */
const FIRST_PORT = 20_000
const BLOCKS = 240
const PORTS_PER_BLOCK = 50
const ATTEMPTS = 100

/** Unused ports of the block that this process holds. */
let unused: number[] = []
let lastAllocation: Promise<unknown> = Promise.resolve()

export function freePort(): Promise<number> {
  const port = lastAllocation.then(nextPort)
  lastAllocation = port.catch(() => {})
  return port
}

async function nextPort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (unused.length === 0) unused = await claimBlock()
    const port = unused.shift()
    if (port !== undefined && (await bindErrorCode('127.0.0.1', port)) === null) return port
  }
  throw noFreePort()
}

/** The process that listens on the first port of a block owns the others while it runs. */
async function claimBlock(): Promise<number[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const first = FIRST_PORT + Math.floor(Math.random() * BLOCKS) * PORTS_PER_BLOCK
    if (await listenOn(first)) {
      return Array.from({ length: PORTS_PER_BLOCK - 1 }, (_, index) => first + 1 + index)
    }
  }
  throw noFreePort()
}

function listenOn(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', () => resolve(false))
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => resolve(true)).unref()
  })
}

const noFreePort = () =>
  new Error(`No free port from ${FIRST_PORT} to ${FIRST_PORT + BLOCKS * PORTS_PER_BLOCK - 1}.`)

/** Error code of listening there (`EADDRINUSE`, `EACCES`, …), or null. */
export function bindErrorCode(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)))
  })
}
