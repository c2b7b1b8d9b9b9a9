/** Scripted servers on loopback: an HTTP receiver and a TCP listener. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Teardown } from './teardown.ts'

export interface TargetRequest {
  method: string
  /** Path and query. */
  url: string
  headers: IncomingHttpHeaders
  body: string
  receivedAt: Date
}

export interface TargetResponse {
  status?: number
  headers?: Record<string, string>
  body?: string | Buffer
}

export type TargetHandler = (
  request: TargetRequest,
  response: ServerResponse,
) => TargetResponse | undefined | Promise<TargetResponse | undefined>

export interface HttpTarget {
  /** URL without a trailing slash. */
  url: string
  port: number
  requests: TargetRequest[]
  /** Number of connections that were opened. */
  connections: () => number
  /** Sets the response; a list responds in order and repeats its last. */
  respond(response: TargetHandler | TargetResponse | readonly TargetResponse[]): void
  close(): Promise<void>
}

/**
 * Starts an HTTP server, with TLS if a certificate is given. Responds 200 by default; a handler
 * that returns nothing has written the response itself.
 */
export const httpTarget = async (
  t: Teardown,
  script: TargetHandler | TargetResponse | readonly TargetResponse[] = {},
  tls: { cert: string; key: string } | null = null,
): Promise<HttpTarget> => {
  let handler = handlerOf(script)
  const requests: TargetRequest[] = []
  const listen = (message: IncomingMessage, response: ServerResponse) => {
    respondTo(message, response).catch(() => response.destroy())
  }
  const server = tls === null ? createServer(listen) : createSecureServer(tls, listen)
  const respondTo = async (message: IncomingMessage, response: ServerResponse) => {
    const request: TargetRequest = {
      method: message.method ?? '',
      url: message.url ?? '',
      headers: message.headers,
      body: await text(message),
      receivedAt: new Date(),
    }
    requests.push(request)
    const scripted = await handler(request, response)
    if (scripted === undefined) return
    response.writeHead(scripted.status ?? 200, scripted.headers ?? {}).end(scripted.body ?? '')
  }
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  t.teardown(close)
  return {
    url: `${tls === null ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => connections,
    respond: (next) => {
      handler = handlerOf(next)
    },
    close,
  }
}

const handlerOf = (
  script: TargetHandler | TargetResponse | readonly TargetResponse[],
): TargetHandler => {
  if (typeof script === 'function') return script
  if (!isList(script)) return () => script
  let turn = 0
  return () => script[Math.min(turn++, script.length - 1)] ?? {}
}

const isList = (
  script: TargetResponse | readonly TargetResponse[],
): script is readonly TargetResponse[] => Array.isArray(script)

export interface TcpTarget {
  port: number
  sockets: Set<Socket>
}

/** TCP listener for peers that hang, send slowly or send invalid data. */
export const tcpTarget = async (
  t: Teardown,
  onSocket: (socket: Socket) => void = () => {},
): Promise<TcpTarget> => {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    onSocket(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return { port: (server.address() as AddressInfo).port, sockets }
}
