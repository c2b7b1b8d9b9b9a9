/**
 * One DNS query to a server that a tenant names: by UDP, repeated while no response arrives, and by
 * TCP when the response is truncated. Never throws for a fault of the remote host.
 */
import { randomInt } from 'node:crypto'
import dgram from 'node:dgram'
import { isIP } from 'node:net'
import { withTimeout } from '@status-page/concurrency'
import dnsPacket, { type DecodedPacket } from 'dns-packet'
import { allowedAddresses } from './allowed-addresses.ts'
import {
  type AbortTrigger,
  connectSocket,
  noCertificate,
  type ServerCertificate,
} from './connect.ts'
import { type DnsRecordType, recordTexts } from './dns-records.ts'
import { OutboundFailure, outboundErrorOf } from './failure.ts'
import { emptyTimings } from './http-transport.ts'
import type { OutboundPolicy } from './policy.ts'
import { type OutboundFault, type OutboundTimings, roundedTimings } from './request.ts'
import { DNS_TIMEOUT_MS } from './resolve.ts'
import { checkUrl, hostOf, portOf } from './target.ts'

export interface DnsQuery {
  /** URL of the server, `dns://host` or `dns://host:port`; its path and query are ignored. */
  url: string
  name: string
  type: DnsRecordType
  /** Deadline of everything, from the name of the server to the response. */
  timeoutMs: number
}

export interface DnsResponse extends ServerCertificate {
  ok: true
  /** Response code, such as `NOERROR` or `SERVFAIL`. */
  rcode: string
  /** Data of the records of the type, in the notation of zone files. */
  records: string[]
  durationMs: number
  timings: OutboundTimings
}

/** Maximum size of a response: decoding it takes a millisecond at most. */
const MAX_RESPONSE_BYTES = 8 * 1024
/** Size of a UDP response that networks do not fragment (https://www.dnsflagday.net/2020/). */
const UDP_PAYLOAD_BYTES = 1232
const REPEAT_MS = 1_000

export const queryDns = async (
  query: DnsQuery,
  policy: OutboundPolicy,
): Promise<DnsResponse | OutboundFault> => {
  const timings: OutboundTimings = { ...emptyTimings(), firstByteMs: null, totalMs: 0 }
  const verdict = checkUrl(query.url, policy, { schemes: ['dns'] })
  if (!verdict.ok) return { ok: false, error: 'blocked', durationMs: 0, timings }
  const startedAt = performance.now()
  const totals = () => {
    const rounded = roundedTimings(timings, performance.now() - startedAt)
    return { durationMs: rounded.totalMs, timings: rounded }
  }
  const stop: AbortTrigger = { isStopped: false, onStop: null }
  try {
    const work = exchange(verdict.url, query, { policy, timings, stop })
    const packet = await withTimeout(work, query.timeoutMs, () => {
      throw new OutboundFailure('timeout')
    })
    timings.firstByteMs = performance.now() - startedAt
    const { rcode } = packet as DecodedPacket & { rcode: string }
    const records = recordTexts(packet, query.type)
    return { ok: true, rcode, records, ...noCertificate, ...totals() }
  } catch (error) {
    return { ok: false, error: outboundErrorOf(error), ...totals() }
  } finally {
    stop.isStopped = true
    stop.onStop?.()
  }
}

interface ExchangeDeps {
  policy: OutboundPolicy
  timings: OutboundTimings
  stop: AbortTrigger
}

const exchange = async (url: URL, query: DnsQuery, deps: ExchangeDeps): Promise<DecodedPacket> => {
  const { policy, timings, stop } = deps
  const port = portOf(url)
  const startedAt = performance.now()
  const timeoutMs = Math.min(DNS_TIMEOUT_MS, query.timeoutMs)
  const addresses = await allowedAddresses(hostOf(url), port, policy, timeoutMs)
  timings.dnsMs = performance.now() - startedAt
  if (stop.isStopped) throw new OutboundFailure('timeout')
  const address = addresses.find((candidate) => isIP(candidate) === 4) ?? addresses[0] ?? ''
  const question = new Question(query)
  const packet = await askByUdp(question, { address, port }, stop)
  if (!packet.flag_tc) return packet
  // The validated address instead of the name, so that both protocols reach the same server.
  const target = { host: address, port, secureContext: null, timeoutMs: query.timeoutMs }
  return await askByTcp(question, target, deps)
}

class Question {
  readonly bytes: Buffer
  readonly #id = randomInt(0x10000)
  readonly #name: string
  readonly #type: DnsRecordType

  constructor({ name, type }: Pick<DnsQuery, 'name' | 'type'>) {
    this.#name = name.toLowerCase()
    this.#type = type
    this.bytes = dnsPacket.encode({
      type: 'query',
      id: this.#id,
      flags: dnsPacket.RECURSION_DESIRED,
      questions: [{ name: this.#name, type }],
      additionals: [
        {
          type: 'OPT',
          name: '.',
          udpPayloadSize: UDP_PAYLOAD_BYTES,
          extendedRcode: 0,
          ednsVersion: 0,
          flags: 0,
          flag_do: false,
          options: [],
        },
      ],
    })
  }

  /** Decodes a response; null for one to another question. */
  read(bytes: Buffer): DecodedPacket | null {
    if (bytes.length > MAX_RESPONSE_BYTES) throw new OutboundFailure('too_large')
    const packet = decode(bytes)
    const [question] = packet.questions ?? []
    const isAnswer =
      packet.id === this.#id &&
      packet.flag_qr &&
      question?.name.toLowerCase() === this.#name &&
      question.type === this.#type
    return isAnswer ? packet : null
  }
}

const decode = (bytes: Buffer): DecodedPacket => {
  try {
    return dnsPacket.decode(bytes)
  } catch (error) {
    throw new OutboundFailure('protocol_error', error)
  }
}

const askByUdp = (
  question: Question,
  { address, port }: { address: string; port: number },
  stop: AbortTrigger,
): Promise<DecodedPacket> => {
  const { promise, resolve, reject } = Promise.withResolvers<DecodedPacket>()
  const socket = dgram.createSocket(isIP(address) === 6 ? 'udp6' : 'udp4')
  let repeat: NodeJS.Timeout | undefined
  const close = () => {
    clearInterval(repeat)
    stop.onStop = null
    socket.close()
  }
  stop.onStop = close
  socket.on('error', (error) => reject(new OutboundFailure('connect_error', error)))
  socket.on('message', (bytes) => {
    try {
      const packet = question.read(bytes)
      if (packet !== null) resolve(packet)
    } catch (error) {
      reject(error as OutboundFailure)
    }
  })
  // Not a callback of `connect`, which is also called when there is no route.
  socket.once('connect', () => {
    socket.send(question.bytes)
    repeat = setInterval(() => socket.send(question.bytes), REPEAT_MS)
  })
  // A connected socket receives from this address only, and reports an unreachable port.
  socket.connect(port, address)
  return promise.finally(() => stop.isStopped || close())
}

const askByTcp = async (
  question: Question,
  target: Parameters<typeof connectSocket>[0],
  { policy, timings, stop }: ExchangeDeps,
): Promise<DecodedPacket> => {
  const socket = await connectSocket(target, policy, timings, stop)
  stop.onStop = () => socket.destroy()
  const { promise, resolve, reject } = Promise.withResolvers<DecodedPacket>()
  let received = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    try {
      const bytes = framed(received)
      if (bytes === null) return
      const packet = question.read(bytes)
      if (packet === null) throw new OutboundFailure('protocol_error')
      resolve(packet)
    } catch (error) {
      reject(error as OutboundFailure)
    }
  })
  socket.on('error', reject)
  socket.once('close', () => reject(new OutboundFailure('protocol_error')))
  socket.write(framing(question.bytes))
  return await promise
}

const LENGTH_BYTES = 2

/** Adds the length that precedes a message over TCP (RFC 1035, section 4.2.2). */
const framing = (bytes: Buffer): Buffer => {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt16BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** First message of the received bytes; null while it is incomplete. */
const framed = (received: Buffer): Buffer | null => {
  if (received.length < LENGTH_BYTES) return null
  const end = LENGTH_BYTES + received.readUInt16BE()
  if (end > MAX_RESPONSE_BYTES) throw new OutboundFailure('too_large')
  return received.length < end ? null : received.subarray(LENGTH_BYTES, end)
}
