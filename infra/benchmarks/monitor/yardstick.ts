/**
 * Yardstick: processor time of a minimal client of the same server, with a fresh connection per
 * request and a shared TLS context.
 */
import http from 'node:http'
import net from 'node:net'
import tls from 'node:tls'

/** Concurrency that a monitor usually has. */
const MAX_IN_FLIGHT = 16
const WARM_UP_SHARE = 0.1

export interface BareCheckLoad {
  host: string
  port: number
  /** Certificate authority as PEM; null without TLS. */
  authority: string | null
  count: number
}

/**
 * Microseconds of processor time of this process per request; nothing else may run in it at the
 * time.
 */
export const measureBareCheckMicros = async ({
  count,
  ...connection
}: BareCheckLoad): Promise<number> => {
  const request = createRequest(connection)
  await sendAll(request, count * WARM_UP_SHARE)
  const before = process.cpuUsage()
  await sendAll(request, count)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

const sendAll = async (request: () => Promise<void>, count: number): Promise<void> => {
  let remaining = count
  const work = async () => {
    while (remaining-- > 0) await request()
  }
  await Promise.all(Array.from({ length: MAX_IN_FLIGHT }, work))
}

const createRequest = ({ host, port, authority }: Omit<BareCheckLoad, 'count'>) => {
  const secureContext = authority === null ? null : tls.createSecureContext({ ca: authority })
  const connect = () =>
    secureContext === null
      ? net.connect({ host: '127.0.0.1', port, noDelay: true })
      : tls.connect({ host: '127.0.0.1', port, servername: host, secureContext })
  return (): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const socket = connect().on('error', reject)
    socket.once(secureContext === null ? 'connect' : 'secureConnect', () => {
      const request = http.request({
        createConnection: () => socket,
        path: '/0',
        headers: { host },
      })
      request
        .on('error', reject)
        .once('response', (response) => response.resume().once('end', resolve))
      request.end()
    })
    return promise
  }
}
