/** What the least client costs that asks the same server: a fresh connection each, the TLS context shared. */
import http from 'node:http'
import net from 'node:net'
import tls from 'node:tls'

/** As many as are under way in a monitor at a usual moment. */
const AT_ONCE = 16
const WARM_UP_SHARE = 0.1

export interface Asked {
  host: string
  port: number
  /** PEM of the authority; null without TLS. */
  authority: string | null
  count: number
}

/** Microseconds of this process for one request; nothing else may run in it meanwhile. */
export const bareCheckMicros = async ({ count, ...asked }: Asked): Promise<number> => {
  const request = requester(asked)
  await askAll(request, count * WARM_UP_SHARE)
  const before = process.cpuUsage()
  await askAll(request, count)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

const askAll = async (request: () => Promise<void>, count: number): Promise<void> => {
  let left = count
  const work = async () => {
    while (left-- > 0) await request()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

const requester = ({ host, port, authority }: Omit<Asked, 'count'>) => {
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
      request.on('error', reject).once('response', (answer) => answer.resume().once('end', resolve))
      request.end()
    })
    return promise
  }
}
