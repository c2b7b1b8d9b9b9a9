/** Creating, changing and deleting channels: stored data, responses and errors. */
import {
  channelTypes,
  componentCreated,
  componentDeleted,
  draftEvent,
  namedChannelEvents,
  REDACTED,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { httpTarget } from '@status-page/testing'
import t from 'tap'
import { channelStage, slack } from './channels.fixture.ts'

const webhook = (config: object = {}, change: object = {}) => ({
  name: 'Tickets',
  type: 'webhook',
  config: { url: 'http://127.0.0.1:9000/new', ...config },
  ...change,
})
const email = (config: object = {}) => ({
  name: 'Mail',
  type: 'email',
  config: {
    smtpHost: '127.0.0.1',
    smtpPort: 2525,
    fromAddress: 'Status@Example.com',
    username: 'u',
    password: 'hunter22',
    ...config,
  },
})

t.test('a channel is created with the defaults of its type', async (t) => {
  const { create, read, list } = await channelStage(t)
  const { status, body } = await create(webhook())
  t.equal(status, 201)
  t.match(body, {
    config: { url: 'http://127.0.0.1:9000/new', method: 'POST', headers: {}, bodyTemplate: null },
    events: [],
    componentIds: [],
    impacts: [],
    isEnabled: true,
    messageTemplate: null,
    status: 'active',
    lastDeliveryAt: null,
    lastDeliveryStatus: null,
    warnings: [],
  })
  const { warnings: _warnings, ...shown } = body
  t.same((await read(body.id)).body, shown)
  t.match((await list()).body, { meta: { total: 1 }, data: [shown] })
  const mail = await create(email())
  t.match(mail.body.config, {
    smtpPort: 2525,
    secure: false,
    fromAddress: 'status@example.com',
    fromName: null,
    recipients: [],
    bounceSecret: null,
  })
})

t.test('secrets are encrypted at rest and redacted in every response', async (t) => {
  const { create, update, list, admin } = await channelStage(t)
  const secret = 'swordfish-secret'
  const made = await create(webhook({ headers: { Authorization: secret } }))
  t.same(made.body.config.headers, { Authorization: REDACTED })
  await create(slack(`http://127.0.0.1:9000/${secret}`))
  await create(email({ password: secret, bounceSecret: `${secret}-bounce` }))
  const changed = await update(made.body.id, { config: { headers: { 'X-Key': secret } } })
  t.notMatch(JSON.stringify([changed.body, (await list()).body]), secret)
  const kept = await admin`SELECT config, (SELECT json_agg(o) FROM notifier.outbox o) AS outbox,
    (SELECT json_agg(d) FROM notifier.destinations d) AS destinations
    FROM notifier.notification_channels`
  t.notMatch(JSON.stringify(kept), secret)
})

t.test('the redaction marker preserves a secret and is rejected if none is stored', async (t) => {
  const { create, update } = await channelStage(t)
  const { body } = await create(webhook({ headers: { 'X-Key': 'one' } }))
  const kept = await update(body.id, {
    config: { headers: { 'X-Key': REDACTED } },
    name: 'Other',
  })
  t.match(kept, {
    status: 200,
    body: { name: 'Other', config: { headers: { 'X-Key': REDACTED } } },
  })
  const unknown = await update(body.id, { config: { headers: { 'X-Other': REDACTED } } })
  t.match(unknown, {
    status: 400,
    body: { error: { details: { field: 'config.headers.X-Other' } } },
  })
  for (const made of [
    await create(webhook({ headers: { 'X-Key': REDACTED } })),
    await create(email({ password: REDACTED })),
    await create(slack(REDACTED)),
  ]) {
    t.equal(made.status, 400)
  }
})

t.test('another host or URL requires the secrets again', async (t) => {
  const { create, update } = await channelStage(t)
  const hook = (await create(webhook({ headers: { 'X-Key': 'one' } }))).body.id
  const url = 'http://127.0.0.1:9001/other'
  const headers = { 'X-Key': REDACTED }
  for (const config of [{ url }, { url, headers }]) {
    const refused = await update(hook, { config })
    t.match(refused, { status: 400, body: { error: { details: { field: 'config.headers' } } } })
  }
  t.equal((await update(hook, { config: { url, headers: { 'X-Key': 'two' } } })).status, 200)
  const mail = (await create(email())).body.id
  const moved = await update(mail, { config: { smtpHost: '127.0.0.2' } })
  t.match(moved, { status: 400, body: { error: { details: { field: 'config.password' } } } })
  const response = await update(mail, { config: { smtpHost: '127.0.0.2', password: 'again' } })
  t.equal(response.status, 200)
  t.equal((await update(mail, { config: { fromName: 'Acme' } })).status, 200)
})

t.test('config is merged by field, and null clears an optional one', async (t) => {
  const { create, update } = await channelStage(t)
  const { body } = await create(email({ fromName: 'Acme', recipients: ['a@example.com'] }))
  const changed = await update(body.id, { config: { fromName: null, secure: true } })
  t.match(changed.body.config, {
    fromName: null,
    secure: true,
    recipients: ['a@example.com'],
    password: REDACTED,
  })
  const required = await update(body.id, { config: { fromAddress: null } })
  t.match(required, { status: 400, body: { error: { details: { field: 'config.fromAddress' } } } })
  const emptied = await update(body.id, { config: { recipients: null } })
  t.same(emptied.body.config.recipients, [])
})

t.test('a PATCH without effect changes nothing', async (t) => {
  const { create, update, admin } = await channelStage(t)
  const made = await create(webhook({ headers: { b: '2', a: '1' } }))
  const { id, updatedAt } = made.body
  const same = { headers: { a: REDACTED, b: '2' }, method: 'POST' }
  const changed = await update(id, { name: 'Tickets', config: same, impacts: [] })
  t.equal(changed.body.updatedAt, updatedAt)
  const entries = await admin`
    SELECT seq FROM notifier.outbox WHERE kind = 'audit.recorded'`
  t.equal(entries.length, 1, 'creation only')
})

t.test('a field that the type lacks is rejected by name', async (t) => {
  const { create } = await channelStage(t)
  const refusals: [body: object, field: string][] = [
    [{ ...webhook(), type: 'pager' }, 'type'],
    [webhook({ url: 'ftp://example.com/' }), 'config.url'],
    [webhook({ url: 'http://10.0.0.1/' }), 'config.url'],
    [webhook({ method: 'GET' }), 'config.method'],
    [webhook({ headers: { Host: 'evil.example' } }), 'config.headers'],
    [webhook({ headers: { 'X-A': 'a\r\nX-B: b' } }), 'config.headers'],
    [webhook({ bodyTemplate: '😀'.repeat(20_000) }), 'config.bodyTemplate'],
    [slack('http://169.254.169.254/latest'), 'config.webhookUrl'],
    [email({ smtpPort: 0 }), 'config.smtpPort'],
    [email({ smtpPort: 80 }), 'config.smtpPort'],
    [email({ smtpHost: '10.0.0.1' }), 'config.smtpHost'],
    [email({ recipients: ['a', 'b@example.com'] }), 'config.recipients[0]'],
    [{ ...webhook(), events: ['incident.deleted'] }, 'events[0]'],
    [{ ...webhook(), impacts: ['tiny'] }, 'impacts[0]'],
    [{ ...webhook(), componentIds: [newId()] }, 'componentIds[0]'],
    [{ ...webhook(), name: '' }, 'name'],
    [{ name: 'SMS', type: 'sms', config: { accountSid: 'AC1' } }, 'config.accountSid'],
  ]
  for (const [body, field] of refusals) {
    const { status, body: answer } = await create(body)
    t.equal(status, 400, field)
    const fields = answer.error.details.issues.map((issue: { field: string }) => issue.field)
    t.ok(fields.includes(field), `${field} of ${fields}`)
  }
})

t.test(
  'a component is known once core has published it, and a channel may list it after its deletion',
  async (t) => {
    const { create, update, publish } = await channelStage(t)
    const component = {
      id: newId(),
      name: 'API',
      type: 'SERVICE' as const,
      isEnabled: true,
      isMuted: false,
      parentComponentId: null,
      ancestorIds: [],
      endpoint: null,
    }
    await publish(draftEvent(componentCreated, { id: component.id, version: 1 }, { component }))
    const { status, body } = await create(webhook({}, { componentIds: [component.id] }))
    t.equal(status, 201, 'without a delivered event')
    await publish(draftEvent(componentDeleted, { id: component.id, version: 2 }, { component }))
    t.equal((await create(webhook({}, { componentIds: [component.id] }))).status, 400)
    t.equal((await update(body.id, { componentIds: [component.id], name: 'B' })).status, 200)
  },
)

t.test('unknown placeholder names are reported on save', async (t) => {
  const { create, update } = await channelStage(t)
  const bodyTemplate = '{"a":"{{incident.title}} {{nope}}"}'
  const made = await create(webhook({ bodyTemplate }, { messageTemplate: '{{tilte}}' }))
  t.same(made.body.warnings, ['tilte', 'nope'])
  t.same((await update(made.body.id, { messageTemplate: '{{title}}' })).body.warnings, ['nope'])
})

t.test('a template with too many placeholders is rejected with its field', async (t) => {
  const { create, update, preview } = await channelStage(t)
  const [most, tooMany] = ['{{ nope }}'.repeat(250), '{{title}}'.repeat(251)]
  const made = await create(webhook({ bodyTemplate: most }, { messageTemplate: most }))
  t.equal(made.status, 201)
  const refusals = [
    ['config.bodyTemplate', await create(webhook({ bodyTemplate: tooMany }))],
    ['messageTemplate', await create(webhook({}, { messageTemplate: tooMany }))],
    ['config.bodyTemplate', await update(made.body.id, { config: { bodyTemplate: tooMany } })],
    ['messageTemplate', await update(made.body.id, { messageTemplate: tooMany })],
    ['bodyTemplate', await preview({ type: 'webhook', bodyTemplate: tooMany })],
    ['messageTemplate', await preview({ type: 'slack', messageTemplate: tooMany })],
  ] as const
  for (const [field, { status, body }] of refusals) {
    t.equal(status, 400, field)
    t.match(body.error.details, {
      field,
      issues: [{ message: `${field} must have at most 250 placeholders` }],
    })
  }
})

t.test('a preview renders each type and stores nothing', async (t) => {
  const { preview, list } = await channelStage(t)
  for (const type of channelTypes) {
    const kinds = ['incident.resolved', 'maintenance.started', 'monitor.down']
    for (const event of [...kinds, ...namedChannelEvents]) {
      const { status, body } = await preview({ type, event })
      t.equal(status, 200, `${type} ${event}`)
      if (body.contentType.includes('json')) t.type(JSON.parse(body.body), 'object')
      t.equal(body.html !== null, type === 'email')
    }
  }
  const own = await preview({ type: 'webhook', bodyTemplate: '{"t":"{{title}}{{nope}}"}' })
  t.match(own.body, { body: '{"t":"API errors"}', warnings: ['nope'] })
  t.equal((await list()).body.meta.total, 0)
})

t.test('a test is sent immediately, whatever the filters, and is logged', async (t) => {
  const { create, test, read, rows } = await channelStage(t)
  const target = await httpTarget(t, { body: 'ok' })
  const muted = { events: ['monitor.down'], isEnabled: false }
  const { body } = await create(slack(`${target.url}/T/B/x`, muted))
  const response = await test(body.id)
  t.match(response, {
    status: 200,
    body: { success: true, statusCode: 200, error: null, message: null },
  })
  t.match(JSON.parse(target.requests[0]?.body ?? ''), { text: /Test notification for Ops chat/ })
  t.match(await rows(), [
    { state: 'delivered', kind: 'channel.test', id: response.body.deliveryId },
  ])
  target.respond({ status: 404, body: 'no_service' })
  t.match((await test(body.id)).body, {
    success: false,
    statusCode: 404,
    error: 'rejected',
    message: 'no_service',
  })
  t.match((await read(body.id)).body, { lastDeliveryStatus: 'rejected' })
  await target.close()
  t.match((await test(body.id)).body, { error: 'connect_error', statusCode: null, message: null })
})

t.test('a test by mail or SMS requires a recipient', async (t) => {
  const { create, test } = await channelStage(t)
  const { body } = await create(email())
  for (const given of [{}, { recipient: 'not an address' }]) {
    t.match(await test(body.id, given), {
      status: 400,
      body: { error: { details: { field: 'recipient' } } },
    })
  }
})

t.test('deleting a channel cancels its pending deliveries', async (t) => {
  const { create, remove, read, update, list } = await channelStage(t)
  const { body } = await create(webhook())
  t.match(await remove(body.id), { status: 200, body: { success: true } })
  for (const answer of [await read(body.id), await remove(body.id), await update(body.id, {})]) {
    t.equal(answer.status, 404)
  }
  t.equal((await list()).body.meta.total, 0)
})

t.test('events publish the creation, the name and the deletion of a channel', async (t) => {
  const { create, update, remove, admin } = await channelStage(t)
  const { id } = (await create(webhook())).body
  await update(id, { name: 'Renamed' })
  await remove(id)
  const stated =
    await admin`SELECT kind, aggregate_version AS version, payload->'channel' AS channel
    FROM notifier.outbox WHERE kind LIKE 'notification-channel.%' ORDER BY seq`
  t.match(stated, [
    { kind: 'notification-channel.created', version: 1, channel: { id, name: 'Tickets' } },
    { kind: 'notification-channel.updated', version: 2, channel: { name: 'Renamed' } },
    { kind: 'notification-channel.deleted', version: 3, channel: { type: 'webhook' } },
  ])
})
