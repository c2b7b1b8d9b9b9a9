/** ICMP checks with the `ping` of this machine; without it they have no results. */
import { createDnsResolver, createOutbound, outboundPolicy } from '@status-page/outbound'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { noRegistrations, testSealer } from './probes.fixture.ts'
import { createRunProbe } from './run-probe.ts'

const resolver = { ...createDnsResolver(), resolve: async () => ['127.0.0.1'] }
const outboundOf = (allowCidrs: string[]) =>
  createOutbound({ policy: outboundPolicy({ allowCidrs, ownHosts: [], resolver }) })

const check = (outbound: ReturnType<typeof outboundOf>, url: string, timeoutMs = 3000) =>
  createRunProbe({ outbound, sealer: testSealer, registrations: noRegistrations, now: Date.now })({
    organizationId: newId(),
    componentId: newId(),
    probe: { kind: 'icmp', url, conditions: [] },
    timeoutMs,
  })

const isCapable = await outboundOf([]).canPing()

t.test('a location without ping has no result', async (t) => {
  const outbound = { ...outboundOf(['127.0.0.0/8']), canPing: async () => false }
  t.equal(await check(outbound, 'icmp://127.0.0.1'), null)
})

t.test('private addresses are blocked without an echo request', async (t) => {
  const outbound = { ...outboundOf([]), canPing: async () => true }
  for (const url of ['icmp://127.0.0.1', 'icmp://10.0.0.1', 'icmp://rebinding.example.com']) {
    t.match(await check(outbound, url), { status: 'ERROR', error: 'blocked' }, url)
  }
})

t.test('the round-trip time is the response time', { skip: !isCapable }, async (t) => {
  const outbound = outboundOf(['127.0.0.0/8'])
  t.match(await check(outbound, 'icmp://host.example.com'), {
    status: 'SUCCESS',
    error: null,
    responseMs: Number,
  })
})

t.test('an address that ping refuses is an error', { skip: !isCapable }, async (t) => {
  const broadcast = 'icmp://255.255.255.255'
  const outbound = outboundOf(['255.255.255.255/32'])
  t.match(await check(outbound, broadcast), { status: 'ERROR', error: 'connect_error' })
})
