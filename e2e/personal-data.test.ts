/**
 * Erasure of personal data: an e-mail address is removed everywhere in its organization, and
 * nowhere else.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  accountErasureOperations,
  componentOperations,
  databaseSchemaOf,
  incidentOperations,
  invitationOperations,
  organizationExportOperations,
  services,
  subscriberErasureOperations,
  subscriberOperations,
  variableOperations,
} from '@status-page/contracts'
import { eventually, textOfSchema } from '@status-page/testing'
import t from 'tap'
import { waitUntilIdle } from './kit/delivery-ledger.ts'
import { PASSWORD, register } from './kit/tenant.ts'
import { startWorld } from './kit/world.ts'

const world = await startWorld(t)

const sameOrigin = { 'sec-fetch-site': 'same-origin' }

/** Rows of all tables of all services that contain the text. */
const linesWith = async (text: string): Promise<string[]> => {
  const schemas = await Promise.all(
    services.map((service) => textOfSchema(world.stack.adminUrl, databaseSchemaOf(service))),
  )
  return schemas.flatMap((schema) => schema.split('\n').filter((line) => line.includes(text)))
}

const filesWith = (folder: string, text: string): string[] =>
  readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => readFileSync(path, 'utf8').includes(text))

t.test('an erased address is in no table of its organization', async (t) => {
  const ours = await register(world.api, 'erased')
  const theirs = await register(world.api, 'not-erased')
  const email = 'zebra-reader@example.com'
  const neighbour = `a.${email}`
  await ours.api.call(subscriberOperations.create, { body: { type: 'email', email: neighbour } })
  for (const { api } of [ours, theirs]) {
    const response = await api.send('POST', '/api/v1/subscribers', {
      headers: { 'content-type': 'application/json', 'idempotency-key': `add-reader` },
      body: JSON.stringify({ type: 'email', email }),
    })
    t.equal(response.status, 201, response.text)
    await api.call(incidentOperations.create, { body: { title: 'Notified incident' } })
  }
  await eventually(() => world.smtp.mails.filter(({ to }) => to.includes(email)).length === 2, {
    timeoutMs: 60_000,
  })
  await waitUntilIdle(world)
  const { erase } = subscriberErasureOperations
  const response = await ours.api.call(erase, { body: { email } })
  t.equal(response.subscribers, 1)
  await waitUntilIdle(world)
  const holdsErased = new RegExp(`(?<![\\w.])${email}`)
  const left = (await linesWith(email)).filter((line) => holdsErased.test(line))
  const ownId = ours.identity.organization.id
  t.same(
    left.filter((line) => line.includes(ownId)),
    [],
    'no row of the organization',
  )
  t.ok(left.length > 0, 'the other organization keeps its subscriber')
  const listed = await theirs.api.send('GET', '/api/v1/subscribers')
  t.equal(JSON.parse(listed.text).data.length, 1)
  const { data } = JSON.parse((await ours.api.send('GET', '/api/v1/subscribers')).text)
  t.same(
    data.map((one: { email: string }) => one.email),
    [neighbour],
    'an address that contains it remains',
  )
})

t.test('the address of a deleted account is in no table of any service', async (t) => {
  const [ours, guest] = [await register(world.api, 'host'), await register(world.api, 'zebraguest')]
  const { email, session } = guest
  await ours.session.call(invitationOperations.create, {
    body: { email, role: 'ADMIN' },
    headers: sameOrigin,
  })
  const invitation = await eventually(
    () =>
      world.smtp.mails
        .filter(({ to }) => to.includes(email))
        .map(({ raw }) => raw.replaceAll('=\r\n', ''))
        .find((raw) => raw.includes('/invitations/')),
    { timeoutMs: 60_000 },
  )
  const [, token = ''] = /\/invitations\/([\w-]+)/.exec(invitation) ?? []
  const accepted = await session.send('POST', '/api/v1/auth/invitations/accept', {
    headers: { ...sameOrigin, 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
  t.ok(accepted.status < 300, accepted.text)
  const [cookie = ''] = accepted.headers.getSetCookie()
  const member = world.api.with({ cookie: cookie.split(';', 1)[0] ?? '' })
  await ours.api.call(subscriberOperations.create, { body: { type: 'email', email } })
  await waitUntilIdle(world)
  await ours.api.call(subscriberErasureOperations.erase, { body: { email } })
  t.ok((await linesWith(email)).length > 0, 'a member with the same address remains')
  await member.call(accountErasureOperations.removeAccount, {
    body: { password: PASSWORD },
    headers: sameOrigin,
  })
  await eventually(async () => (await linesWith(email)).length === 0, {
    timeoutMs: 120_000,
  }).catch(() => {})
  t.same(await linesWith(email), [])
  t.same(filesWith(world.stack.logFolder, email), [], 'logs')
})

t.test('the export of an organization has a line per resource and no secret', async (t) => {
  const tenant = await register(world.api, 'exported')
  const email = 'reader@exported.test'
  await tenant.api.call(subscriberOperations.create, { body: { type: 'email', email } })
  await tenant.api.call(incidentOperations.create, { body: { title: 'Part of the export' } })
  await tenant.api.call(componentOperations.create, { body: { type: 'SERVICE', name: 'Shop' } })
  const value = 'a value that is secret'
  await tenant.api.call(variableOperations.set, { params: { name: 'TOKEN' }, body: { value } })
  const response = await tenant.session.request(organizationExportOperations.export)
  t.equal(response.status, 200, response.text)
  const lines = response.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const kinds = new Set(lines.map(({ kind }) => kind))
  for (const kind of [
    'organization',
    'member',
    'api_key',
    'incident',
    'component_status',
    'component_uptime',
    'variable',
    'subscriber',
    'configuration',
  ]) {
    t.ok(kinds.has(kind), kind)
  }
  t.match(response.text, email)
  t.match(response.text, 'Part of the export')
  t.notMatch(response.text, value)
  t.notMatch(response.text, /token_hash|sk_live_[A-Za-z0-9]/)
  t.equal((await tenant.api.request(organizationExportOperations.export)).status, 403, 'no key')
})
