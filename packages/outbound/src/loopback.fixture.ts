/**
 * Set-up of the request tests: an outbound client that may connect to loopback, and counting
 * servers.
 */
import { once } from 'node:events'
import http, { type RequestListener } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { createOutbound, type OutboundOptions } from './outbound.ts'
import { outboundPolicy, type PolicyOptions } from './policy.ts'
import type { OutboundRequest } from './request.ts'

export const MIB = 1024 * 1024

export const outboundFor = (
  t: Test,
  policy: Partial<PolicyOptions> = {},
  more: Partial<OutboundOptions> = {},
) => {
  const outbound = createOutbound({
    policy: outboundPolicy({ allowCidrs: ['127.0.0.0/8'], ownHosts: [], ...policy }),
    ...more,
  })
  t.teardown(() => outbound.close())
  return outbound
}

export const get = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  method: 'GET',
  headers: {},
  timeoutMs: 5_000,
  maxBodyBytes: MIB,
  fresh: true,
  ...more,
})

/** Blocks this thread, as a suspension of the process does. */
export const stall = (ms: number) =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, ms)

/** Listens on loopback, counts connections, and closes with the test. */
export const listening = async (t: Test, server: net.Server) => {
  const sockets = new Set<net.Socket>()
  const seen = { connections: 0 }
  server.on('connection', (socket: net.Socket) => {
    seen.connections += 1
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, seen, sockets }
}

export const web = async (t: Test, handler: RequestListener) => {
  const target = await listening(t, http.createServer(handler))
  return { ...target, url: `http://127.0.0.1:${target.port}/` }
}

/** Resolves when every connection of the server is closed. */
export const allClosed = async (sockets: ReadonlySet<net.Socket>): Promise<void> => {
  await Promise.all(
    [...sockets].map((socket) => new Promise<void>((done) => socket.once('close', () => done()))),
  )
}

/** Server that writes raw bytes after the first data of a client. */
export const raw = async (t: Test, write: (socket: net.Socket) => void) => {
  const server = net.createServer((socket) => socket.once('data', () => write(socket)))
  const target = await listening(t, server)
  return { ...target, url: `http://127.0.0.1:${target.port}/` }
}
