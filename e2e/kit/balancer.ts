/** TCP balancer in front of the replicas of a service: connects to the next one that accepts. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'

/** Returns the URL of a balancer over these origins. */
export const startBalancer = async (t: Test, origins: readonly string[]): Promise<string> => {
  const sockets = new Set<Socket>()
  let turn = 0
  const track = (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  }
  const server = createServer((client) => {
    track(client)
    client.on('error', () => {})
    turn++
    forward(client, {
      origins: origins.map((_, index) => origins[(turn + index) % origins.length] ?? ''),
      track,
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Route {
  origins: readonly string[]
  track(socket: Socket): void
}

const forward = (client: Socket, { origins: [origin, ...others], track }: Route): void => {
  if (origin === undefined) {
    client.destroy()
    return
  }
  const { hostname, port } = new URL(origin)
  const upstream = connect(Number(port), hostname)
  track(upstream)
  let isConnected = false
  upstream.once('connect', () => {
    isConnected = true
    client.pipe(upstream).pipe(client)
  })
  upstream.once('error', () => {
    if (isConnected) client.destroy()
    else forward(client, { origins: others, track })
  })
  upstream.once('close', () => {
    if (isConnected) client.destroy()
  })
  client.once('close', () => upstream.destroy())
}
