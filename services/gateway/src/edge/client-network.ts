/** Which network a message comes from, by the rule of Fastify's `request.ip`, where there is no such request. */
import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import { networkOf } from '../limits/limiter.ts'

/** Null where the connection is gone. */
export type NetworkOf = (message: IncomingMessage) => string | null

export const createNetworkOf = (trustedProxies: readonly string[]): NetworkOf => {
  const trust = proxyAddr.compile([...trustedProxies])
  const known = new WeakMap<IncomingMessage['socket'], string>()
  return (message) => {
    const { socket, headers } = message
    if (socket.remoteAddress === undefined) return null
    // Behind a proxy each request of a connection is another client's.
    if (headers['x-forwarded-for'] !== undefined) return networkOf(proxyAddr(message, trust))
    const found = known.get(socket)
    if (found !== undefined) return found
    const network = networkOf(socket.remoteAddress)
    known.set(socket, network)
    return network
  }
}
