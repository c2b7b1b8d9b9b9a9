/** Custom domains: claiming, verification, loss, and the events about them. */
import { statusPageOperations as on } from '@status-page/contracts'
import type { CnameLookupResult, TextLookupResult } from '@status-page/outbound'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'
import {
  claimDomain,
  type DomainDnsRecords,
  type DomainState,
  noDomain,
  validateDomain,
} from './custom-domain.ts'

const ownHost = 'pages.test'
const HOUR_MS = 3_600_000
const start = new Date('2026-08-01T00:00:00.000Z')
const token = 'the token of the organization'
const at = (hours: number) => ({
  now: new Date(start.getTime() + hours * HOUR_MS),
  ownHost,
  token,
})
const proof: TextLookupResult = { isAnswered: true, texts: ['v=spf1 -all', token] }
const toUs: CnameLookupResult = { isAnswered: true, target: ownHost }
const records = (alias: CnameLookupResult, text: TextLookupResult = proof): DomainDnsRecords => ({
  alias,
  text,
})
const ours = records(toUs)
const none = records({ isAnswered: true, target: null })
const others = records({ isAnswered: true, target: 'elsewhere.test' })
const silence = records({ isAnswered: false }, { isAnswered: false })
const noProof = records(toUs, { isAnswered: true, texts: [] })
const otherProof = records(toUs, { isAnswered: true, texts: [`${token}x`, 'another token'] })
const silentProof = records(toUs, { isAnswered: false })

const after = (state: DomainState, ...lookups: [number, DomainDnsRecords][]) =>
  lookups.reduce((known, [hours, found]) => validateDomain(known, found, at(hours)), state)
const claimed = claimDomain(noDomain, 'status.acme.test', at(0))
const active = after(claimed, [1, ours])

const kit = await coreKit(t)

t.test('a domain is pending, then verified, or failed after three days', async (t) => {
  const cases: [string, DomainState, string][] = [
    ['at first', claimed, 'pending'],
    ['not there', after(claimed, [71.9, none]), 'pending'],
    ['found', active, 'active'],
    ['found late', after(claimed, [71, none], [73, ours]), 'active'],
    ['never there', after(claimed, [72, none]), 'failed'],
    ['leads elsewhere', after(claimed, [72, others]), 'failed'],
    ['never answered', after(claimed, [72, silence]), 'failed'],
    ['a CNAME without the token', after(claimed, [1, noProof]), 'pending'],
    ['a CNAME with the token of another', after(claimed, [1, otherProof]), 'pending'],
    ['a CNAME, and no answer about the token', after(claimed, [1, silentProof]), 'pending'],
    ['never a token', after(claimed, [1, noProof], [72, noProof]), 'failed'],
  ]
  for (const [what, state, expected] of cases) t.equal(state.customDomainStatus, expected, what)
  t.equal(after(claimed, [72, none]).customDomainDueAt, null, 'and then it is not checked')
  t.same(active.customDomainDueAt, at(1 + 1 / 6).now, 'an active one is checked again')
})

t.test('an active domain is lost after three consecutive days without its records', async (t) => {
  const cases: [string, DomainState, string][] = [
    ['a moment', after(active, [2, none]), 'active'],
    ['back in between', after(active, [2, none], [50, ours], [75, none]), 'active'],
    ['gone', after(active, [2, none], [74, others]), 'failed'],
    ['our own DNS is silent', after(active, [2, silence], [100, silence]), 'active'],
    ['the token is gone', after(active, [2, noProof], [74, noProof]), 'failed'],
    ['no answer about the token', after(active, [2, silentProof], [100, silentProof]), 'active'],
    ['gone, then silence', after(active, [2, none], [74, silence]), 'failed'],
  ]
  for (const [what, state, expected] of cases) t.equal(state.customDomainStatus, expected, what)
})

t.test('a domain that is sent again is pending again, unless it is already verified', async (t) => {
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
  const organization = kit.as()
  const body = { name: 'Acme', slug: `s-${newId().slice(-12)}`, ...more }
  const created = await organization.request(on.create, { body })
  const params = { id: created.body.id as string }
  const change = (patch: object) => organization.request(on.update, { params, body: patch })
  const read = async () => (await organization.request(on.read, { params })).body
  await kit.outbox(organization.organizationId)
  return { ...organization, created, change, read }
}

const lookForAll = async () => {
  const work = kit.jobs.find(({ name }) => name === 'custom-domains')
  while ((await work?.run(new AbortController().signal)) ?? 0);
}

/** Publishes tokens as the TXT record of the name. */
const publish = (name: string, ...texts: string[]) => {
  kit.texts[`_status-page.${name}`] = { isAnswered: true, texts }
}

const domain = () => `status-${newId().slice(-12)}.acme.test`

t.test('a claim is checked at once, and a change of its status is published', async (t) => {
  const name = domain()
  const { created, read, organizationId } = await pageWith({ customDomain: name.toUpperCase() })
  t.match(created.body, { customDomain: name, customDomainStatus: 'pending' })
  await lookForAll()
  t.equal((await read()).customDomainStatus, 'pending')
  t.same(await kit.outbox(organizationId), { events: [], audit: [] })
  kit.aliases[name] = { isAnswered: true, target: 'status.test' }
  publish(name, created.body.customDomainToken)
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

t.test('an unchanged domain that is sent back changes nothing, whatever its records', async (t) => {
  const { read, change, organizationId } = await pageWith({ customDomain: domain() })
  const before = await read()
  kit.clock.advance(1_000)
  t.same((await change(before)).body, before)
  t.same(await kit.outbox(organizationId), { events: [], audit: [] })
})

t.test('a pending claim blocks no organization that proves ownership', async (t) => {
  const name = domain()
  const squatter = await pageWith({ customDomain: name })
  const owner = await pageWith({})
  const claim = await owner.change({ customDomain: name })
  t.equal(claim.status, 200, 'a claim without proof reserves nothing')
  t.not(claim.body.customDomainToken, squatter.created.body.customDomainToken)
  kit.aliases[name] = { isAnswered: true, target: 'status.test' }
  await lookForAll()
  t.equal((await squatter.read()).customDomainStatus, 'pending', 'the CNAME proves nothing')
  publish(name, claim.body.customDomainToken)
  kit.clock.advance(10 * 60_000)
  await lookForAll()
  t.equal((await owner.read()).customDomainStatus, 'active')
  t.equal((await squatter.read()).customDomainStatus, 'pending')

  const late = await pageWith({ customDomain: name })
  t.equal(late.created.status, 409, 'an active domain is taken')
  t.same(late.created.body.error.details, { reason: 'duplicate' })
  t.equal((await squatter.change({ customDomain: name })).status, 409)
  publish(name, claim.body.customDomainToken, squatter.created.body.customDomainToken)
  kit.clock.advance(10 * 60_000)
  await lookForAll()
  t.equal((await squatter.read()).customDomainStatus, 'pending', 'one page has the domain')
  t.equal((await owner.read()).customDomainStatus, 'active')
  kit.clock.advance(72 * HOUR_MS)
  await lookForAll()
  t.equal((await squatter.read()).customDomainStatus, 'failed')
})

t.test('a check at request names the state of each record and applies the result', async (t) => {
  const name = domain()
  const { created, read, change, request, organizationId } = await pageWith({ customDomain: name })
  const params = { id: created.body.id }
  const check = () => request(on.checkCustomDomain, { params })
  kit.aliases[name] = { isAnswered: true, target: 'elsewhere.test' }
  kit.texts[`_status-page.${name}`] = { isAnswered: false }
  t.same((await check()).body, {
    customDomainStatus: 'pending',
    cname: { name, expected: 'status.test', state: 'different' },
    txt: {
      name: `_status-page.${name}`,
      expected: created.body.customDomainToken,
      state: 'no_answer',
    },
  })
  t.same(await kit.outbox(organizationId), { events: [], audit: [] })
  kit.clock.advance(73 * HOUR_MS)
  await lookForAll()
  t.equal((await read()).customDomainStatus, 'failed')
  publish(name, 'another token')
  t.match((await check()).body, { customDomainStatus: 'pending', txt: { state: 'different' } })
  await kit.outbox(organizationId)

  kit.aliases[name] = { isAnswered: true, target: 'status.test' }
  publish(name, created.body.customDomainToken)
  const [cname, txt] = [{ state: 'valid' }, { state: 'valid' }]
  t.match((await check()).body, { customDomainStatus: 'active', cname, txt })
  t.equal((await read()).customDomainStatus, 'active')
  t.match(await kit.outbox(organizationId), { events: [{ kind: 'status-page.updated' }] })

  const late = await pageWith({})
  t.equal((await late.request(on.checkCustomDomain, { params })).status, 404)
  await change({ customDomain: null })
  const without = await check()
  t.equal(without.status, 409)
  t.match(without.body.error.details, { reason: 'invalid_state' })
})

t.test('the token is the same whenever an organization claims the domain', async (t) => {
  const name = domain()
  const { created, change } = await pageWith({ customDomain: name })
  const { customDomainToken: first } = created.body
  t.match(first, /^[\w-]{43,64}$/)
  t.equal((await change({ customDomain: null })).body.customDomainToken, null)
  t.not((await change({ customDomain: domain() })).body.customDomainToken, first)
  t.equal((await change({ customDomain: name })).body.customDomainToken, first)
})

t.test('a domain is a host name, and none of the service itself', async (t) => {
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
