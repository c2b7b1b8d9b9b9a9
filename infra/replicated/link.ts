/**
 * TCP link to a server on loopback that can be held or delayed, as by a network. A held link keeps
 * its connections open and transfers nothing, so that no side receives an error.
 */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export interface Link {
  readonly port: number
  /** Port of the server; later connections use it. */
  setTarget(port: number): void
  /** Transfers nothing until `release`. */
  hold(): void
  /** Transfers each packet after `delayMs`, until `release`. */
  delay(delayMs: number): void
  release(): void
  close(): Promise<void>
}

interface Pair {
  client: Socket
  upstream: Socket
}

interface State {
  targetPort: number
  isHeld: boolean
  delayMs: number
  pairs: Set<Pair>
  /** Connections that were accepted while the link was held. */
  waiting: Set<Socket>
}

/** Opens a link; the target can be set later. */
export async function openLink(targetPort = 0): Promise<Link> {
  const state: State = {
    targetPort,
    isHeld: false,
    delayMs: 0,
    pairs: new Set(),
    waiting: new Set(),
  }
  const server = createServer({ pauseOnConnect: true }, (client) => accept(state, client))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    setTarget(port) {
      state.targetPort = port
    },
    hold() {
      state.isHeld = true
      for (const { client, upstream } of state.pairs) {
        client.pause()
        upstream.pause()
      }
    },
    delay(delayMs) {
      state.delayMs = delayMs
    },
    release: () => release(state),
    close: () => close(state, server),
  }
}

function accept(state: State, client: Socket): void {
  client.on('error', () => {})
  if (!state.isHeld) {
    forward(state, client)
    return
  }
  state.waiting.add(client)
  client.once('close', () => state.waiting.delete(client))
}

function release(state: State): void {
  state.isHeld = false
  state.delayMs = 0
  for (const { client, upstream } of state.pairs) {
    client.resume()
    upstream.resume()
  }
  for (const client of state.waiting) forward(state, client)
  state.waiting.clear()
}

async function close({ pairs, waiting }: State, server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  for (const { client, upstream } of pairs) {
    client.destroy()
    upstream.destroy()
  }
  for (const client of waiting) client.destroy()
  await closed
}

function forward(state: State, client: Socket): void {
  const upstream = connect(state.targetPort, '127.0.0.1')
  const pair = { client, upstream }
  state.pairs.add(pair)
  transfer(state, client, upstream)
  transfer(state, upstream, client)
  upstream.on('error', () => client.destroy())
  for (const socket of [client, upstream]) {
    socket.once('close', () => {
      state.pairs.delete(pair)
      client.destroy()
      upstream.destroy()
    })
  }
  if (!state.isHeld) client.resume()
}

/** Writes what the source receives; timers of equal delays keep the order. */
function transfer(state: State, source: Socket, destination: Socket): void {
  let lastAt = 0
  const inOrder = (work: () => void) => {
    const dueAt = Math.max(lastAt, performance.now() + state.delayMs)
    lastAt = dueAt
    const pauseMs = Math.ceil(dueAt - performance.now())
    if (pauseMs <= 0) work()
    else setTimeout(work, pauseMs)
  }
  source.on('data', (chunk) => inOrder(() => destination.writable && destination.write(chunk)))
  source.once('end', () => inOrder(() => destination.end()))
}
