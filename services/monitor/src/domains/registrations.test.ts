/** Domain checks: registrations by RDAP, and registries that misbehave. */

import type { Condition } from '@status-page/contracts'
import { createOutbound, outboundPolicy } from '@status-page/outbound'
import { newId } from '@status-page/postgres'
import { createRunProbe } from '@status-page/probes'
import { httpTarget, type TargetResponse } from '@status-page/testing'
import t, { type Test } from 'tap'
import { adminOf, setup, testSealer } from '../monitor.fixture.ts'
import { createRdapClient } from './rdap.ts'
import { createDomainRegistrations } from './registrations.ts'

const DAY_MS = 86_400_000
const json = { 'content-type': 'application/rdap+json' }
const inDays = (days: number) => new Date(Date.now() + (days + 0.5) * DAY_MS).toISOString()

const domainObject = (expiresAt?: unknown) => ({
  objectClassName: 'domain',
  events: [
    { eventAction: 'registration', eventDate: '2001-01-01T00:00:00Z' },
    ...(expiresAt === undefined ? [] : [{ eventAction: 'expiration', eventDate: expiresAt }]),
  ],
})

/** Probe of domains whose bootstrap file and registry of `.test` are one server. */
const domainProbe = async (t: Test, registry: (domain: string) => TargetResponse) => {
  const server = await httpTarget(t)
  server.respond((request) =>
    request.url === '/dns.json'
      ? { body: JSON.stringify({ services: [[['test'], [`${server.url}/rdap`]]] }) }
      : registry(request.url.replace('/rdap/domain/', '')),
  )
  const { database, url } = await setup(t)
  const outbound = createOutbound({
    policy: outboundPolicy({ allowCidrs: ['127.0.0.0/8'], ownHosts: [] }),
  })
  t.teardown(() => outbound.close())
  const options = { outbound, bootstrapUrl: `${server.url}/dns.json`, now: Date.now }
  const probeOfReplica = () => {
    const registrations = createDomainRegistrations(database, createRdapClient(options))
    const deps = { outbound, sealer: testSealer, registrations, now: Date.now }
    const run = createRunProbe(deps)
    return (domain: string, conditions: Condition[] = []) =>
      run({
        organizationId: newId(),
        componentId: newId(),
        probe: { kind: 'domain', url: `domain://${domain}`, conditions },
        timeoutMs: 5_000,
      })
  }
  const queries = () =>
    server.requests.filter(({ url }) => url !== '/dns.json').map(({ url }) => url)
  return { probe: probeOfReplica(), probeOfReplica, queries, url }
}

const atLeast = (days: string): Condition[] => [
  { type: 'DOMAIN_DAYS', comparator: 'GREATER_THAN', target: days },
]

t.test('a check compares the days until the registration expires', async (t) => {
  const { probe } = await domainProbe(t, (domain) => ({
    headers: json,
    body: JSON.stringify(domainObject(inDays(domain === 'expired.test' ? -2 : 40))),
  }))
  t.match(await probe('acme.test'), { status: 'SUCCESS', error: null, conditionResults: [] })
  t.match(await probe('acme.test', atLeast('30')), {
    status: 'SUCCESS',
    conditionResults: [{ type: 'DOMAIN_DAYS', actual: '40', passed: true }],
  })
  t.match(await probe('acme.test', atLeast('60')), {
    status: 'FAILURE',
    conditionResults: [{ actual: '40', passed: false }],
  })
  t.match(await probe('expired.test'), { status: 'FAILURE', error: 'registration_expired' })
})

t.test('a domain without a registration is a failure', async (t) => {
  const { probe } = await domainProbe(t, () => ({ status: 404, headers: json, body: '{}' }))
  t.match(await probe('free.test'), { status: 'FAILURE', error: 'not_registered' })
})

t.test('a check has no result where the registry has no server or no expiry', async (t) => {
  const { probe, queries } = await domainProbe(t, () => ({
    headers: json,
    body: JSON.stringify(domainObject()),
  }))
  t.equal(await probe('acme.example'), null)
  t.same(queries(), [], 'no server is queried')
  t.equal(await probe('acme.test'), null)
})

for (const date of [{ toString: 1 }, '-000001-01-01T00:00:00Z', 'soon', null]) {
  t.test(`the expiry ${JSON.stringify(date)} counts as absent`, async (t) => {
    const { probe } = await domainProbe(t, () => ({
      headers: json,
      body: JSON.stringify(domainObject(date)),
    }))
    t.equal(await probe('acme.test'), null)
  })
}

t.test('the registry is queried once a day for all checks of all replicas', async (t) => {
  const { probe, probeOfReplica, queries, url } = await domainProbe(t, () => ({
    headers: json,
    body: JSON.stringify(domainObject(inDays(40))),
  }))
  const others = Array.from({ length: 3 }, probeOfReplica)
  await Promise.all([probe, ...others].flatMap((one) => [one('acme.test'), one('acme.test')]))
  t.match(await Promise.all(others.map((one) => one('acme.test'))), [
    { status: 'SUCCESS' },
    { status: 'SUCCESS' },
    { status: 'SUCCESS' },
  ])
  t.same(queries(), ['/rdap/domain/acme.test'])
  const sql = await adminOf(t, url)
  await sql`UPDATE monitor.domain_registrations SET next_query_at = now()`
  await probe('acme.test')
  t.equal(queries().length, 2)
})

const misbehaving: readonly [what: string, response: TargetResponse][] = [
  ['HTML', { headers: { 'content-type': 'text/html' }, body: '<html>' }],
  ['another object', { headers: json, body: '{"objectClassName":"entity"}' }],
  ['an error', { status: 500, body: '' }],
  ['5 MB', { headers: json, body: `"${'x'.repeat(5_000_000)}"` }],
  ['a redirect to a private address', { status: 302, headers: { location: 'http://10.0.0.1/' } }],
  ['a redirect to itself', { status: 302, headers: { location: '?' } }],
  ['deep nesting', { headers: json, body: '['.repeat(200_000) }],
]
for (const [what, response] of misbehaving) {
  t.test(`a registry that responds with ${what} keeps the last registration`, async (t) => {
    let current: TargetResponse = response
    const { probe, queries, url } = await domainProbe(t, () => current)
    t.equal(await probe('acme.test'), null)
    t.ok(queries().length <= 4)
    const sql = await adminOf(t, url)
    const makeDue = () => sql`UPDATE monitor.domain_registrations SET next_query_at = now()`
    await makeDue()
    current = { headers: json, body: JSON.stringify(domainObject(inDays(40))) }
    t.match(await probe('acme.test'), { status: 'SUCCESS' })
    await makeDue()
    current = response
    t.match(await probe('acme.test'), { status: 'SUCCESS' })
  })
}
