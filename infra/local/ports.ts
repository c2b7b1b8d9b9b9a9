/** Loopback ports for children, and whether a port can be had at all. */
import { createServer } from 'node:net'

/** Below the ephemeral ranges of Linux and macOS, so no outgoing connection takes the port meanwhile. */
const FIRST_PORT = 20_000
const LAST_PORT = 31_999
const ATTEMPTS = 100

export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT + 1))
    if ((await bindFault('127.0.0.1', port)) === null) return port
  }
  throw new Error(`No free port between ${FIRST_PORT} and ${LAST_PORT}.`)
}

/** Why nothing can listen there (`EADDRINUSE`, `EACCES`, …), or null. */
export function bindFault(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)))
  })
}
