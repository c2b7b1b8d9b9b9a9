/** Personal data: a mail address is erased everywhere in its organization, and nowhere else. */
import {
  incidentOperations,
  organizationExportOperations,
  schemaOf,
  services,
  subscriberErasureOperations,
  subscriberOperations,
} from '@status-page/contracts'
import { eventually, textOfSchema } from '@status-page/testing'
import t from 'tap'
import { untilAtRest } from './kit/delivery-ledger.ts'
import { register } from './kit/journey.ts'
import { startWorld } from './kit/world.ts'

t.setTimeout(300_000)

const world = await startWorld(t)

/** Lines of every table of every service that hold the text. */
const linesWith = async (text: string): Promise<string[]> => {
  const schemas = await Promise.all(
    services.map((service) => textOfSchema(world.stack.adminUrl, schemaOf(service))),
  )
  return schemas.flatMap((schema) => schema.split('\n').filter((line) => line.includes(text)))
}

t.test('an erased address is in no table of its organization', async (t) => {
  const [ours, theirs] = [await register(world.api, 'ours'), await register(world.api, 'theirs')]
  const email = 'zebra-reader@example.com'
  for (const { api } of [ours, theirs]) {
    await api.call(subscriberOperations.create, { body: { type: 'email', email } })
    await api.call(incidentOperations.create, { body: { title: 'A notice' } })
  }
  await eventually(() => world.smtp.mails.filter(({ to }) => to.includes(email)).length === 2, {
    timeoutMs: 60_000,
  })
  await untilAtRest(world.admin)
  const { erase } = subscriberErasureOperations
  const answer = await ours.api.call(erase, { body: { email } })
  t.equal(answer.subscribers, 1)
  await untilAtRest(world.admin)
  const left = await linesWith(email)
  const ownId = ours.identity.organization.id
  t.same(
    left.filter((line) => line.includes(ownId)),
    [],
    'nothing of ours',
  )
  t.ok(left.length > 0, 'the other organization keeps its subscriber')
  const listed = await theirs.api.send('GET', '/api/v1/subscribers')
  t.equal(JSON.parse(listed.text).data.length, 1)
})

t.test('the export of an organization holds a line of each resource, and no secret', async (t) => {
  const tenant = await register(world.api, 'exported')
  const email = 'reader@exported.test'
  await tenant.api.call(subscriberOperations.create, { body: { type: 'email', email } })
  await tenant.api.call(incidentOperations.create, { body: { title: 'Told in the export' } })
  const answer = await tenant.session.ask(organizationExportOperations.export)
  t.equal(answer.status, 200, answer.text)
  const lines = answer.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const kinds = new Set(lines.map(({ kind }) => kind))
  for (const kind of [
    'organization',
    'member',
    'api_key',
    'incident',
    'subscriber',
    'configuration',
  ]) {
    t.ok(kinds.has(kind), kind)
  }
  t.match(answer.text, email)
  t.match(answer.text, 'Told in the export')
  t.notMatch(answer.text, /token_hash|sk_live_[A-Za-z0-9]/)
  t.equal((await tenant.api.ask(organizationExportOperations.export)).status, 403, 'no key')
})
