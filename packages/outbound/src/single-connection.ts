/**
 * HTTP client of one server that the operator of the process configures. Requests, which its caller
 * sends one after the other, share one connection; `HTTPS_PROXY` and `NO_PROXY` apply.
 */
import { Dispatcher1Wrapper, EnvHttpProxyAgent } from 'undici'

/** Time without a request after which the connection is closed; a shorter one of the server counts. */
const IDLE_MS = 60_000

export interface SingleConnection {
  fetch: typeof globalThis.fetch
  close(): Promise<void>
}

export const createSingleConnection = (): SingleConnection => {
  const agent = new EnvHttpProxyAgent({
    connections: 1,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: IDLE_MS,
  })
  // The fetch of Node has the interface of an older undici.
  const dispatcher = new Dispatcher1Wrapper(agent)
  return {
    fetch: (input, init) => fetch(input, { ...init, dispatcher } as RequestInit),
    close: () => agent.destroy(),
  }
}
