/** DNS checks of servers that misbehave end with one result, in time. */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Condition } from '@status-page/contracts'
import { createDnsResolver, createOutbound, outboundPolicy } from '@status-page/outbound'
import { newId } from '@status-page/postgres'
import dnsPacket, { type Answer, type DecodedPacket } from 'dns-packet'
import t, { type Test } from 'tap'
import { localProbe, noRegistrations, testSealer } from './probes.fixture.ts'
import { createRunProbe, type RunProbe } from './run-probe.ts'

interface Reply {
  answers?: Answer[]
  rcode?: number
  /** Over UDP, a response without records that asks the client to repeat the query over TCP. */
  isTruncated?: boolean
}

/** DNS server on one port of UDP and TCP; null leaves a query without response. */
const dnsTarget = async (
  t: Test,
  reply: (name: string, type: string) => Reply | Buffer | null,
): Promise<number> => {
  const respond = (bytes: Buffer, isUdp: boolean): Buffer | null => {
    const query: DecodedPacket = dnsPacket.decode(bytes)
    const [question = { name: '', type: 'A' as const }] = query.questions ?? []
    const given = reply(question.name, question.type)
    if (given === null || Buffer.isBuffer(given)) return given
    const { answers = [], rcode = 0, isTruncated = false } = given
    const isCut = isUdp && isTruncated
    return dnsPacket.encode({
      type: 'response',
      id: query.id ?? 0,
      flags: rcode | (isCut ? dnsPacket.TRUNCATED_RESPONSE : 0),
      questions: [question],
      answers: isCut ? [] : answers,
    })
  }
  const tcp = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      const response = respond(bytes.subarray(2), false)
      if (response === null) return
      const length = Buffer.alloc(2)
      length.writeUInt16BE(response.length)
      socket.write(Buffer.concat([length, response]))
    })
  })
  tcp.listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  t.teardown(() => tcp.close())
  const { port } = tcp.address() as AddressInfo
  const udp = await udpSocketOn(port)
  // Another program may use the port over UDP.
  if (udp === null) return dnsTarget(t, reply)
  t.teardown(() => udp.close())
  udp.on('message', (bytes, from) => {
    const response = respond(bytes, true)
    if (response !== null) udp.send(response, from.port, from.address)
  })
  return port
}

/** Socket on a port; null if the port is in use. */
const udpSocketOn = async (port: number): Promise<Socket | null> => {
  const socket = createSocket('udp4')
  socket.bind(port, '127.0.0.1')
  try {
    await once(socket, 'listening')
    return socket
  } catch {
    socket.close()
    return null
  }
}

const check = async (
  url: string,
  conditions: Condition[] = [],
  { runProbe = localProbe(Date.now), timeoutMs = 5000 } = {} as {
    runProbe?: RunProbe
    timeoutMs?: number
  },
) => {
  const ids = { organizationId: newId(), componentId: newId() }
  const result = await runProbe({ ...ids, probe: { kind: 'dns', url, conditions }, timeoutMs })
  if (result === null) throw new Error('the check has no result')
  return result
}

const has = (comparator: Condition['comparator'], target: string): Condition[] => [
  { type: 'DNS_RECORD', comparator, target },
]

t.test('records are compared in the notation of zone files', async (t) => {
  const records: Record<string, Answer> = {
    A: { name: 'a.example', type: 'A', data: '192.0.2.1' },
    AAAA: { name: 'a.example', type: 'AAAA', data: '2001:db8::1' },
    MX: { name: 'a.example', type: 'MX', data: { preference: 10, exchange: 'MX.example' } },
    TXT: { name: 'a.example', type: 'TXT', data: ['v=spf1 ', '-all'] },
    NS: { name: 'a.example', type: 'NS', data: 'ns.example' },
    SRV: {
      name: 'a.example',
      type: 'SRV',
      data: { priority: 1, weight: 2, port: 443, target: 's.example' },
    },
  }
  const port = await dnsTarget(t, (_name, type) => ({ answers: [records[type] as Answer] }))
  const table = {
    A: '192.0.2.1',
    AAAA: '2001:db8::1',
    MX: '10 mx.example',
    TXT: 'v=spf1 -all',
    NS: 'ns.example',
    SRV: '1 2 443 s.example',
  }
  for (const [type, text] of Object.entries(table)) {
    const result = await check(
      `dns://127.0.0.1:${port}/a.example?type=${type}`,
      has('EQUALS', text),
    )
    const conditionResults = [{ actual: text, passed: true }]
    t.match(result, { status: 'SUCCESS', error: null, conditionResults }, type)
  }
  t.match(await check(`dns://127.0.0.1:${port}/a.example`, has('NOT_EQUALS', '192.0.2.1')), {
    status: 'FAILURE',
    error: null,
  })
})

t.test('SERVFAIL, a missing name and a loop of aliases are failures of the target', async (t) => {
  const SERVFAIL = 2
  const NXDOMAIN = 3
  const replies: Record<string, Reply> = {
    'broken.example': { rcode: SERVFAIL },
    'missing.example': { rcode: NXDOMAIN },
    'loop.example': {
      answers: [
        { name: 'loop.example', type: 'CNAME', data: 'other.example' },
        { name: 'other.example', type: 'CNAME', data: 'loop.example' },
      ],
    },
  }
  const port = await dnsTarget(t, (name) => replies[name] ?? {})
  const table = { broken: 'error_response', missing: 'no_record', loop: 'no_record' }
  for (const [name, error] of Object.entries(table)) {
    const result = await check(`dns://127.0.0.1:${port}/${name}.example`)
    t.match(result, { status: 'FAILURE', error, responseMs: Number }, name)
  }
})

t.test('a truncated response of 4 KB is read over TCP, a larger one is refused', async (t) => {
  const textsOf = (count: number): Answer[] =>
    Array.from({ length: count }, (_, index) => ({
      name: 'a.example',
      type: 'TXT',
      data: `${index}-${'x'.repeat(200)}`,
    }))
  const port = await dnsTarget(t, (name) => ({
    answers: textsOf(name === 'large.example' ? 200 : 20),
    isTruncated: true,
  }))
  const url = `dns://127.0.0.1:${port}`
  t.match(await check(`${url}/a.example?type=TXT`, has('CONTAINS', '19-x')), { status: 'SUCCESS' })
  const large = await check(`${url}/large.example?type=TXT`, has('CONTAINS', '19-x'))
  t.match(large, { status: 'ERROR', error: 'too_large' })
})

t.test('a silent server, an invalid response and a closed port are errors', async (t) => {
  const replies: Record<string, Buffer | null> = {
    'silent.example': null,
    'invalid.example': Buffer.from('no DNS'),
    'pointer.example': Buffer.from('000081800001000000000000c00c00010001', 'hex'),
  }
  const port = await dnsTarget(t, (name) => replies[name] ?? null)
  const url = `dns://127.0.0.1:${port}`
  t.match(await check(`${url}/silent.example`, [], { timeoutMs: 300 }), { status: 'TIMEOUT' })
  for (const name of ['invalid', 'pointer']) {
    const result = await check(`${url}/${name}.example`)
    t.match(result, { status: 'ERROR', error: 'protocol_error' }, name)
  }
  const closed = createSocket('udp4').bind(0, '127.0.0.1')
  await once(closed, 'listening')
  const unused = closed.address().port
  closed.close()
  await once(closed, 'close')
  t.match(await check(`dns://127.0.0.1:${unused}/a.example`), { error: 'connect_error' })
})

t.test('a lost packet is sent again', async (t) => {
  let queries = 0
  const answer: Answer = { name: 'a.example', type: 'A', data: '192.0.2.1' }
  const port = await dnsTarget(t, () => (++queries === 1 ? null : { answers: [answer] }))
  t.match(await check(`dns://127.0.0.1:${port}/a.example`), { status: 'SUCCESS' })
})

t.test('a server whose name resolves to a private address is blocked', async (t) => {
  let queries = 0
  const port = await dnsTarget(t, () => {
    queries += 1
    return {}
  })
  const resolve = async () => ['127.0.0.1']
  const resolver = { ...createDnsResolver(), resolve }
  const outbound = createOutbound({
    policy: outboundPolicy({ allowCidrs: [], ownHosts: [], resolver }),
  })
  const runProbe = createRunProbe({
    outbound,
    sealer: testSealer,
    registrations: noRegistrations,
    now: Date.now,
  })
  const result = await check(`dns://resolver.example.com:${port}/a.example`, [], { runProbe })
  t.match(result, { status: 'ERROR', error: 'blocked' })
  t.equal(queries, 0)
})

t.test('a server that the system cannot connect to is an error of its check', async (t) => {
  const resolver = { ...createDnsResolver(), resolve: async () => ['255.255.255.255'] }
  const policy = outboundPolicy({ allowCidrs: ['255.255.255.255/32'], ownHosts: [], resolver })
  const outbound = createOutbound({ policy })
  const runProbe = createRunProbe({
    outbound,
    sealer: testSealer,
    registrations: noRegistrations,
    now: Date.now,
  })
  const url = 'dns://resolver.example.com/a.example'
  t.match(await check(url, [], { runProbe }), { status: 'ERROR', error: 'connect_error' })
})
