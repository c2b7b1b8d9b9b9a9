/** Pings of one run of a job. Attempts and their duration are bounded. */
import { setTimeout as pause } from 'node:timers/promises'
import { ApiError, createClient } from '@status-page/client'
import { VERSION } from './api.ts'
import { originOf } from './credentials.ts'

const ATTEMPT_TIMEOUT_MS = 10_000
const RETRY_DELAYS_MS = [1_000, 3_000] as const
const TOO_MANY_REQUESTS = 429
const SERVER_ERROR = 500

/** Sends a signal: `start` or an exit code, with output. */
export type SendPing = (signal: string, output?: Buffer) => Promise<void>

const PING_URL = /^(https?:\/\/[^?#]*)\/api\/v1\/hooks\/heartbeat\/([\w-]+)$/

/** Throws if the text is no ping URL. */
export const createPing = (pingUrl: string, run: string): SendPing => {
  const [, url, token] = PING_URL.exec(pingUrl) ?? []
  if (url === undefined || token === undefined) {
    throw new Error('--url or STATUSCTL_PING_URL must be the ping URL of a heartbeat')
  }
  originOf(url)
  const userAgent = `statusctl/${VERSION}`
  const client = createClient({ url, userAgent, timeoutMs: ATTEMPT_TIMEOUT_MS })
  return async (signal, output) => {
    const request = {
      params: { path: { token, signal }, query: { run } },
      body: output as never,
      bodySerializer: (body: unknown) => body as Buffer,
      headers: { 'content-type': 'application/octet-stream' },
    }
    for (const delayMs of [...RETRY_DELAYS_MS, null]) {
      try {
        await client.POST('/api/v1/hooks/heartbeat/{token}/{signal}', request)
        return
      } catch (error) {
        if (delayMs === null || isRefusal(error)) throw error
        await pause(delayMs)
      }
    }
  }
}

/** A refusal that another attempt does not change, such as that of a replaced token. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && error.status < SERVER_ERROR && error.status !== TOO_MANY_REQUESTS
