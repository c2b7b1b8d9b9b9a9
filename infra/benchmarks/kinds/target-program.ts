/**
 * Targets of the checks: an HTTP, a TCP and a TLS server on every loopback address, and a DNS server
 * on some of them. The certificate and its key (PEM) are parameters; it sends its ports to its parent.
 */
import dgram from 'node:dgram'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { ADDRESSES, addressOf } from '../monitor/target-hosts.ts'

export interface TargetPorts {
  http: number
  tcp: number
  tls: number
  dns: number
}

const HEADER_BYTES = 12
/** Root label, type and class, which end the question. */
const QUESTION_END_BYTES = 5
/** Response with one record, which repeats the name of the question. */
const RESPONSE_HEADER = Buffer.from([0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0])
const RECORD = Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 192, 0, 2, 1])

const [cert = '', key = ''] = process.argv.slice(2)

const portOf = async (server: Server): Promise<number> => {
  server.listen({ host: '0.0.0.0', port: 0, backlog: 4096 })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Responds from the address that received the query, as the client requires. */
const startDnsServer = async (address: string, port: number): Promise<number> => {
  const socket = dgram.createSocket('udp4')
  socket.on('message', (query, from) => {
    const end = query.indexOf(0, HEADER_BYTES) + QUESTION_END_BYTES
    const question = query.subarray(HEADER_BYTES, end)
    const reply = [query.subarray(0, 2), RESPONSE_HEADER, question, RECORD]
    socket.send(Buffer.concat(reply), from.port, from.address)
  })
  socket.bind(port, address)
  await once(socket, 'listening')
  return socket.address().port
}

const http = createHttpServer({ keepAlive: false }, (_request, response) => {
  response.end('{"status":"ok"}')
})
const tcp = createServer((socket) => socket.on('error', () => {}).resume())
const tls = createTlsServer({ cert, key }, (socket) => socket.on('error', () => {}).resume())
tls.on('tlsClientError', () => {})
const dns = await startDnsServer(addressOf(0), 0)
for (let index = 1; index < ADDRESSES; index++) await startDnsServer(addressOf(index), dns)
const ports: TargetPorts = {
  http: await portOf(http),
  tcp: await portOf(tcp),
  tls: await portOf(tls),
  dns,
}
process.send?.(ports)
