/**
 * Network of the client of a message, by the rule of Fastify's `request.ip`, where no Fastify
 * request exists.
 */
import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import { addressNetworkOf } from '../limits/limiter.ts'

/** Returns the network of the client; null when its connection is closed. */
export type ClientNetworkOf = (message: IncomingMessage) => string | null

export const createClientNetworkOf = (trustedProxies: readonly string[]): ClientNetworkOf => {
  const trust = proxyAddr.compile([...trustedProxies])
  const known = new WeakMap<IncomingMessage['socket'], string>()
  return (message) => {
    const { socket, headers } = message
    if (socket.remoteAddress === undefined) return null
    // Requests on one connection of a proxy come from different clients.
    if (headers['x-forwarded-for'] !== undefined) return addressNetworkOf(proxyAddr(message, trust))
    const found = known.get(socket)
    if (found !== undefined) return found
    const network = addressNetworkOf(socket.remoteAddress)
    known.set(socket, network)
    return network
  }
}
