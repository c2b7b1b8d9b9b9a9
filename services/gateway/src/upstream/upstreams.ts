/**
 * Connections to the services behind the gateway, one pool per origin. undici closes an idle one
 * before the time that the service states in `Keep-Alive`.
 */
import { Pool } from 'undici'

const RESPONSE_TIMEOUT_MS = 30_000
const CONNECT_TIMEOUT_MS = 2_000
const MAX_CONNECTIONS = 128

export interface Upstream {
  pool: Pool
  inFlight: number
}

export interface Upstreams {
  of(url: string): Upstream
  close(): Promise<void>
}

export const createUpstreams = (responseTimeoutMs: number = RESPONSE_TIMEOUT_MS): Upstreams => {
  const upstreams = new Map<string, Upstream>()
  return {
    of(url) {
      const { origin } = new URL(url)
      const known = upstreams.get(origin)
      if (known !== undefined) return known
      const pool = new Pool(origin, {
        connections: MAX_CONNECTIONS,
        connectTimeout: CONNECT_TIMEOUT_MS,
        headersTimeout: responseTimeoutMs,
        bodyTimeout: responseTimeoutMs,
      })
      const upstream = { pool, inFlight: 0 }
      upstreams.set(origin, upstream)
      return upstream
    },
    async close() {
      await Promise.all([...upstreams.values()].map(({ pool }) => pool.close()))
    },
  }
}
