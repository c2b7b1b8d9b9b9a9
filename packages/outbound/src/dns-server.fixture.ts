/** DNS server on loopback whose records a test defines, also while it runs. */
import dgram from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Test } from 'tap'

/** Records of each name; `silent` never responds, an absent name does not exist. */
type Records = string[] | 'silent'
export type Zone = Record<string, { a?: Records; aaaa?: Records; txt?: Records; cname?: Records }>

const TYPE_A = 1
const TYPE_CNAME = 5
const TYPE_TXT = 16
const TYPE_AAAA = 28
const typeNames: Record<number, 'a' | 'aaaa' | 'txt' | 'cname'> = {
  [TYPE_A]: 'a',
  [TYPE_AAAA]: 'aaaa',
  [TYPE_CNAME]: 'cname',
  [TYPE_TXT]: 'txt',
}
const NO_ERROR = 0x8180
const NO_SUCH_NAME = 0x8183

export const dnsServer = async (t: Test, zone: Zone) => {
  const socket = dgram.createSocket('udp4')
  const questions: string[] = []
  socket.on('message', (query, from) => {
    const { name, type, end } = question(query)
    questions.push(`${typeNames[type]?.toUpperCase()} ${name}`)
    const entry = zone[name]
    const kind = typeNames[type]
    const answer = kind === undefined ? [] : entry?.[kind]
    if (answer === 'silent') return
    const records = (answer ?? []).map((address) => record(type, address))
    const head = Buffer.alloc(12)
    query.copy(head, 0, 0, 2)
    head.writeUInt16BE(entry === undefined ? NO_SUCH_NAME : NO_ERROR, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(records.length, 6)
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.teardown(() => socket.close())
  return { server: `127.0.0.1:${(socket.address() as AddressInfo).port}`, questions }
}

const question = (query: Buffer) => {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('ascii', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

const record = (type: number, value: string): Buffer => {
  const data = (encodings[type] ?? addressBytes)(value)
  const head = Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 0, 0, 0])
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}

const addressBytes = (value: string): Buffer => Buffer.from(ipaddr.parse(value).toByteArray())

const labels = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ])

const MAX_PIECE_BYTES = 255

const pieces = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  const count = Math.ceil(bytes.length / MAX_PIECE_BYTES)
  return Buffer.concat(
    Array.from({ length: count }, (_, index) => {
      const piece = bytes.subarray(index * MAX_PIECE_BYTES, (index + 1) * MAX_PIECE_BYTES)
      return Buffer.concat([Buffer.from([piece.length]), piece])
    }),
  )
}

const encodings: Record<number, (value: string) => Buffer> = {
  [TYPE_CNAME]: labels,
  [TYPE_TXT]: pieces,
}
