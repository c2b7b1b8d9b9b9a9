/** A page's own host name: what is claimed, how it is found and lost, and who is told. */
import { statusPageOperations as on } from '@status-page/contracts'
import type { Alias } from '@status-page/outbound'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'
import { claimDomain, type DomainState, judgeDomain, noDomain } from './custom-domain.ts'

t.setTimeout(120_000)

const ownHost = 'pages.test'
const HOUR_MS = 3_600_000
const start = new Date('2026-08-01T00:00:00.000Z')
const at = (hours: number) => ({ now: new Date(start.getTime() + hours * HOUR_MS), ownHost })
const ours: Alias = { isAnswered: true, target: ownHost }
const none: Alias = { isAnswered: true, target: null }
const others: Alias = { isAnswered: true, target: 'elsewhere.test' }
const silence: Alias = { isAnswered: false }

const after = (state: DomainState, ...lookups: [number, Alias][]) =>
  lookups.reduce((known, [hours, alias]) => judgeDomain(known, alias, at(hours)), state)
const claimed = claimDomain(noDomain, 'status.acme.test', at(0))
const active = after(claimed, [1, ours])

const kit = await coreKit(t)

t.test('a name is pending, then found, or given up after three days', async (t) => {
  const cases: [string, DomainState, string][] = [
    ['at first', claimed, 'pending'],
    ['not there', after(claimed, [71.9, none]), 'pending'],
    ['found', active, 'active'],
    ['found late', after(claimed, [71, none], [73, ours]), 'active'],
    ['never there', after(claimed, [72, none]), 'failed'],
    ['leads elsewhere', after(claimed, [72, others]), 'failed'],
    ['never answered', after(claimed, [72, silence]), 'failed'],
  ]
  for (const [what, state, expected] of cases) t.equal(state.customDomainStatus, expected, what)
  t.equal(after(claimed, [72, none]).customDomainDueAt, null, 'and then it rests')
  t.same(active.customDomainDueAt, at(1 + 1 / 6).now, 'an active one is looked at again')
})

t.test('an active name is lost when it was missing for three days on end', async (t) => {
  const cases: [string, DomainState, string][] = [
    ['a moment', after(active, [2, none]), 'active'],
    ['back in between', after(active, [2, none], [50, ours], [75, none]), 'active'],
    ['gone', after(active, [2, none], [74, others]), 'failed'],
    ['our own DNS is silent', after(active, [2, silence], [100, silence]), 'active'],
    ['gone, then silence', after(active, [2, none], [74, silence]), 'failed'],
  ]
  for (const [what, state, expected] of cases) t.equal(state.customDomainStatus, expected, what)
})

t.test('sent again, a name begins anew, unless it is found already', async (t) => {
  const failed = after(claimed, [72, none])
  const again = claimDomain(failed, 'status.acme.test', at(80))
  t.match(again, { customDomainStatus: 'pending', customDomainMissingSince: at(80).now })
  const kept = claimDomain(active, 'status.acme.test', at(80))
  t.match(kept, { customDomainStatus: 'active', customDomainDueAt: at(80).now })
  t.equal(claimDomain(active, 'other.acme.test', at(80)).customDomainStatus, 'pending')
  t.same(claimDomain(active, undefined, at(80)), active)
  t.same(claimDomain(active, null, at(80)), noDomain)
})

const pageWith = async (more: object) => {
  const one = kit.as()
  const body = { name: 'Acme', slug: `s-${newId().slice(-12)}`, ...more }
  const made = await one.ask(on.create, { body })
  const params = { id: made.body.id as string }
  const change = (patch: object) => one.ask(on.update, { params, body: patch })
  const read = async () => (await one.ask(on.read, { params })).body
  await kit.outbox(one.organizationId)
  return { ...one, made, change, read }
}

const lookForAll = async () => {
  const work = kit.due.find(({ name }) => name === 'custom-domains')
  while ((await work?.run(new AbortController().signal)) ?? 0);
}

const domain = () => `status-${newId().slice(-12)}.acme.test`

t.test('a claim is looked for at once, and a change of its status is told', async (t) => {
  const name = domain()
  const { made, read, organizationId } = await pageWith({ customDomain: name.toUpperCase() })
  t.match(made.body, { customDomain: name, customDomainStatus: 'pending' })
  await lookForAll()
  t.equal((await read()).customDomainStatus, 'pending')
  t.same(await kit.outbox(organizationId), { events: [], audit: [] })
  kit.aliases[name] = { isAnswered: true, target: 'status.test' }
  await lookForAll()
  t.equal((await read()).customDomainStatus, 'pending', 'not before ten minutes')
  kit.clock.advance(10 * 60_000)
  await lookForAll()
  t.equal((await read()).customDomainStatus, 'active')
  t.match(await kit.outbox(organizationId), {
    events: [{ kind: 'status-page.updated', version: 2 }],
    audit: ['status_page.update'],
  })
})

t.test('what is sent back unchanged changes nothing, whatever the name does', async (t) => {
  const { read, change, organizationId } = await pageWith({ customDomain: domain() })
  const before = await read()
  kit.clock.advance(1_000)
  t.same((await change(before)).body, before)
  t.same(await kit.outbox(organizationId), { events: [], audit: [] })
})

t.test(
  'one page of the installation has a name; who failed to prove it keeps nobody out',
  async (t) => {
    const name = domain()
    const first = await pageWith({ customDomain: name })
    const second = await pageWith({})
    const refused = await second.change({ customDomain: name })
    t.equal(refused.status, 409)
    t.same(refused.body.error.details, { reason: 'duplicate' })
    t.equal((await pageWith({ customDomain: name })).made.status, 409)
    kit.clock.advance(72 * HOUR_MS)
    await lookForAll()
    t.equal((await first.read()).customDomainStatus, 'failed')
    t.equal((await second.change({ customDomain: name })).status, 200)
    t.equal((await first.change({ customDomain: name })).status, 409)
    t.equal((await first.change({ customDomain: null })).body.customDomainStatus, 'none')
  },
)

t.test('a name is a host name, and none of ours', async (t) => {
  const { change } = await pageWith({})
  for (const customDomain of [
    'status.test',
    'a.status.test',
    'localhost',
    '203.0.113.1',
    'https://status.acme.test',
    'status.acme.test:8080',
    '*.acme.test',
    '',
  ]) {
    const { status, body } = await change({ customDomain })
    t.equal(status, 400, customDomain)
    t.equal(body.error.details.field, 'customDomain')
  }
})
