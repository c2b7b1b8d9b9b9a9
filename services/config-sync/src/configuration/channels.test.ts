// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of documents look so
/** Notification channels in a document: their secrets, references to them, and their undo. */
import {
  type AnyChannelConfig,
  configurationOperations as config,
  conflict,
  REDACTED,
  type ResourceDefinition,
  variableOperations as variables,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { testCaller } from '@status-page/testing'
import t, { type Test } from 'tap'
import { configSyncKit, definedAs, lostResponse } from '../config-sync.fixture.ts'

const kit = await configSyncKit(t, { CONFIG_VAR_OTHER__HOOK: 'https://other.example/hook' })

const HEAD = `apiVersion: v1
kind: StatusPageConfig
metadata:
  name: production
  configVersion: "1"
spec:
`

const DOCUMENT = `${HEAD}  components:
    - name: API
      type: SERVICE
  # Who is notified.
  notificationChannels:
    - name: Ops
      type: slack # chat
      config:
        webhookUrl: \${HOOK}
        channel: "#ops"
      events: [ monitor.down ]
      components: [ API ]
    - name: Tickets
      type: webhook
      config:
        url: https://tickets.example.com/new
        headers: { Authorization: "\${TOKEN}", X-Team: "\${TEAM}" }
      impacts: [ critical ]
    - name: Mail
      type: email
      isEnabled: false
      config:
        smtpHost: smtp.example.com
        smtpPort: \${PORT}
        secure: \${TLS}
        password: \${TOKEN}
        fromAddress: Status@Example.com
        recipients: [ a@example.com, B@example.com ]
  oncallSchedules:
    - name: Primary
      layers:
        - name: Week
          users: [ ana@example.com ]
          startsAt: 2026-08-03T00:00:00Z
      escalation:
        - delayMinutes: 0
          targets: [ "channel:Ops" ]
`

const values = {
  HOOK: 'https://hooks.example.com/secret-hook',
  TOKEN: 'secret-token',
  TEAM: 'secret-team',
  PORT: '465',
  TLS: 'true',
}

const organization = async (caller = testCaller()) => {
  const own = kit.as(caller)
  const owned = kit.owners.of(own.organizationId)
  owned.members.push({ userId: newId(), email: 'ana@example.com' })
  const set = (name: string, value: string) =>
    own.ask(variables.set, { params: { name }, body: { value } })
  const apply = (body: string, query: Record<string, unknown> = {}) =>
    own.ask(config.apply, { body, query })
  const drift = async () => (await own.ask(config.drift)).body.drift
  const exported = async () => (await own.ask(config.export)).body
  const channels = () => owned.definitions.get('notification_channel') ?? []
  const opened = (index: number, text: unknown) =>
    kit.sealer.open(String(text), {
      organizationId: own.organizationId,
      purpose: 'channel',
      recordId: channels()[index]?.id ?? '',
    })
  return { ...own, owned, set, apply, drift, exported, channels, opened }
}

const withVariables = async () => {
  const own = await organization()
  for (const [name, value] of Object.entries(values)) await own.set(name, value)
  return own
}

const SMS = { accountSid: `AC${'0'.repeat(32)}`, fromNumber: '+4930123456', recipients: [] }

const configOf = (channel: ResourceDefinition | undefined): AnyChannelConfig =>
  channel?.fields.config ?? {}

/** Channel that was created through the API. */
const byHand = (fields: object) => ({
  ...definedAs(newId(), {
    events: [],
    componentIds: [],
    impacts: [],
    isEnabled: true,
    messageTemplate: null,
    ...fields,
  }),
  managedByConfig: false,
})

t.test('an applied document creates channels with encrypted secrets', async (t) => {
  const { apply, channels, owned, opened, exported, drift } = await withVariables()
  const applied = await apply(DOCUMENT)
  t.equal(applied.status, 200, JSON.stringify(applied.body))
  t.same(
    applied.body.created.map((one: object) => Object.values(one).join(' ')),
    [
      'component API',
      'notification_channel Ops',
      'notification_channel Tickets',
      'notification_channel Mail',
      'oncall_schedule Primary',
    ],
  )
  t.notMatch(JSON.stringify(applied.body), 'secret')
  const [ops, tickets, mail] = channels()
  const [api] = owned.components.keys()
  t.match(ops?.fields, {
    componentIds: [api],
    events: ['monitor.down'],
    config: { channel: '#ops' },
  })
  t.notMatch(JSON.stringify(channels()), 'secret')
  t.equal(opened(0, configOf(ops).webhookUrl), values.HOOK)
  t.equal(opened(1, configOf(tickets).headers?.Authorization), values.TOKEN)
  t.match(configOf(mail), { smtpPort: 465, secure: true, fromAddress: 'status@example.com' })
  t.match(owned.definitions.get('oncall_schedule')?.[0]?.fields, {
    escalation: [{ targets: [`channel:${channels()[0]?.id}`] }],
  })
  t.equal(await exported(), DOCUMENT, 'it is exported as written')
  t.match((await apply(DOCUMENT)).body, { created: [], updated: [], unchanged: 5 })
  t.same(await drift(), [])
  const journal = await kit.database.batchSql`SELECT * FROM applies`
  const outbox = await kit.database.batchSql`SELECT payload FROM outbox`
  t.notMatch(JSON.stringify([journal, outbox]), /secret-(hook|token|team)/)
})

t.test('a new value of a variable and a change made elsewhere are drift', async (t) => {
  const { apply, channels, owned, set, drift, exported, opened } = await withVariables()
  await apply(DOCUMENT)
  await set('TEAM', 'secret-team-2')
  const [ops, ...others] = channels()
  const changed = definedAs(ops?.id ?? '', { ...ops?.fields, isEnabled: false, impacts: ['minor'] })
  owned.definitions.set('notification_channel', [
    changed,
    ...others,
    byHand({ name: 'Manual', type: 'sms', config: SMS }),
  ])
  const about = (resourceName: string, reason: string, fields: string[]) => ({
    resourceType: 'notification_channel',
    resourceName,
    reason,
    fields,
  })
  t.same(await drift(), [
    about('Tickets', 'modified', ['config']),
    about('Manual', 'not_in_config', []),
  ])
  const text = await exported()
  t.match(text, /headers: \{ Authorization: "\$\{TOKEN\}", X-Team: "\*\*\*REDACTED\*\*\*" \}/)
  t.match(text, /isEnabled: false[\s\S]*name: Tickets/)
  t.match(text, 'name: Manual')
  t.notMatch(text, /secret-(hook|token|team)/)
  t.match((await apply(text, { dryRun: true })).body, { created: [], updated: [], deleted: [] })
  const reverted = await apply(DOCUMENT)
  t.match(reverted.body.updated, [{ resourceName: 'Tickets', fields: ['config'] }])
  const [, tickets] = channels()
  const { headers } = configOf(tickets)
  t.equal(opened(1, headers?.['X-Team']), 'secret-team-2')
})

t.test('a marker keeps the stored secret, and an absent variable is no drift', async (t) => {
  const { apply, channels, set, drift, opened, ask } = await withVariables()
  await apply(DOCUMENT)
  const marked = DOCUMENT.replace('${HOOK}', `"${REDACTED}"`).replace('"#ops"', '"#other"')
  t.match((await apply(marked)).body.updated, [{ resourceName: 'Ops', fields: ['config'] }])
  const stored = configOf(channels()[0])
  t.equal(stored.channel, '#other')
  t.equal(opened(0, stored.webhookUrl), values.HOOK)
  await set('HOOK', 'https://hooks.example.com/another')
  t.same(await drift(), [])
  await ask(variables.remove, { params: { name: 'TOKEN' } })
  t.same(await drift(), [])
})

t.test('problems have the path and the line of the field', async (t) => {
  const { apply, channels, owned } = await withVariables()
  const at = (index: number) => `spec.notificationChannels[${index}]`
  const cases: [string, string, string][] = [
    ['${HOOK}', 'https://hooks.example.com/x', `${at(0)}.config.webhookUrl`],
    ['${HOOK}', '5', `${at(0)}.config.webhookUrl`],
    ['${HOOK}', `"${REDACTED}"`, `${at(0)}.config.webhookUrl`],
    ['${HOOK}', '${MISSING}', `${at(0)}.config.webhookUrl`],
    ['"${TEAM}"', 'plain', `${at(1)}.config.headers.X-Team`],
    ['"${TEAM}"', '5', `${at(1)}.config.headers.X-Team`],
    ['url: https', 'urls: https', `${at(1)}.config.urls`],
    ['url: https://tickets.example.com/new', 'url: [ 1 ]', `${at(1)}.config.url`],
    ['channel: "#ops"', 'smtpHost: a', `${at(0)}.config.smtpHost`],
    ['${PORT}', '99999', `${at(2)}.config.smtpPort`],
    ['${PORT}', '${TOKEN}', `${at(2)}.config.smtpPort`],
    ['${TLS}', '${PORT}', `${at(2)}.config.secure`],
    ['recipients: [ a@', 'recipients: [ a', `${at(2)}.config.recipients[0]`],
    ['type: slack # chat', 'type: pager', `${at(0)}.type`],
    ['Ops\n      type: slack # chat', 'Ops', `${at(0)}.type`],
    ['monitor.down', 'monitor.up', `${at(0)}.events[0]`],
    ['[ API ]', '[ Other ]', `${at(0)}.components[0]`],
    ['"channel:Ops"', '"channel:Nothing"', 'spec.oncallSchedules[0].escalation[0].targets[0]'],
    ['name: Tickets', 'name: Ops', `${at(1)}.name`],
  ]
  for (const [from, to, field] of cases) {
    const line = DOCUMENT.slice(0, DOCUMENT.indexOf(from)).split('\n').length
    const response = await apply(DOCUMENT.replace(from, to))
    t.equal(response.status, 400, `${from} → ${to}`)
    t.match(response.body.error.details.issues, [{ field, line }], `${from} → ${to}`)
  }
  t.same(channels(), [])
  t.equal(owned.components.size, 0)
})

t.test('unknown variables are a warning, and those of other tenants are unknown', async (t) => {
  const { ask, apply } = await organization()
  const { body } = await ask(config.validate, { body: DOCUMENT })
  t.match(body, { valid: true, errors: [] }, JSON.stringify(body))
  t.ok(body.warnings.some((one: string) => /^\$\{HOOK\} is not set \(line \d+\)$/.test(one)))
  t.match((await apply(DOCUMENT)).body.error.message, /\$\{HOOK\} is not set/)
  const text = DOCUMENT.replace('"#ops"', '"#${HOOK}"').replace('name: Ops', 'name: ${HOOK}')
  const warned = (await ask(config.validate, { body: text })).body.warnings.join('\n')
  t.match(warned, /channel holds \$\{HOOK\} inside a longer value/)
  t.match(warned, /name holds \$\{HOOK\}, which is plain text here/)
})

t.test(
  'a changed type, several channels of a name, and too many channels are problems',
  async (t) => {
    const { apply, channels, owned, drift } = await withVariables()
    await apply(DOCUMENT)
    const [ops, ...others] = channels()
    const other = { ...ops?.fields, type: 'discord', config: {} }
    owned.definitions.set('notification_channel', [definedAs(ops?.id ?? '', other), ...others])
    const response = await apply(DOCUMENT)
    t.match(response.body.error.details, { field: 'spec.notificationChannels[0].type' })
    t.match(await drift(), [{ resourceName: 'Ops', reason: 'modified', fields: ['type'] }])
    owned.definitions.get('notification_channel')?.push(byHand(other))
    const repeated = await apply(DOCUMENT)
    t.match(repeated.body.error.details.issues, [
      { field: 'spec.notificationChannels[0].name' },
      { field: 'spec.oncallSchedules[0].escalation[0].targets[0]' },
    ])
    const many = Array.from(
      { length: 1_000 },
      (_, index) => `    - { name: C${index}, type: discord }`,
    )
    const tooMany = await apply(`${HEAD}  notificationChannels:\n${many.join('\n')}\n`)
    t.match(tooMany.body.error.details, { field: 'spec.notificationChannels' })
  },
)

t.test('pruning deletes the channels of an apply and no others', async (t) => {
  const { apply, channels, owned } = await withVariables()
  await apply(DOCUMENT)
  const manual = byHand({ name: 'Manual', type: 'discord', config: {} })
  owned.definitions.get('notification_channel')?.push(manual)
  const [rest] = DOCUMENT.split('  # Who is notified.')
  t.match((await apply(rest ?? '')).body, { deleted: [] })
  t.equal(channels().length, 4)
  const dangling = DOCUMENT.replace(/ {4}- name: Ops[\s\S]*?(?= {4}- name: Tickets)/, '')
  t.match((await apply(dangling, { prune: true })).body.error.details, {
    field: 'spec.oncallSchedules[0].escalation[0].targets[0]',
  })
  const pruned = await apply(rest ?? '', { prune: true })
  t.equal(pruned.body.deleted.length, 4, JSON.stringify(pruned.body))
  t.same(channels(), [manual])
})

t.test('an apply of channels needs their permission', async (t) => {
  const permissions = ['config:write', 'components:write', 'oncall:write'] as const
  const { apply, set } = await organization(testCaller({ permissions }))
  for (const [name, value] of Object.entries(values)) await set(name, value)
  t.match(await apply(DOCUMENT), {
    status: 403,
    body: { error: { details: { permission: 'notifications:write' } } },
  })
})

/** Fails the batches of `service` once, before or after they take effect. */
const failOnce = (t: Test, service: string, at: 'onBatch' | 'afterBatch', error: () => Error) => {
  let isOver = false
  kit.owners[at]((operation, batch) => {
    if (isOver || operation.service !== service || batch.mode !== 'apply') return
    isOver = true
    throw error()
  })
  t.teardown(() => kit.owners[at](() => {}))
}

const rejection = () => conflict('version_mismatch', 'It was changed in the meantime')

t.test('a rejection by core undoes the changes of channels', async (t) => {
  const { apply, channels, opened, set, organizationId } = await withVariables()
  await apply(DOCUMENT)
  const before = structuredClone(channels())
  await set('HOOK', 'https://hooks.example.com/secret-2')
  failOnce(t, 'core', 'onBatch', rejection)
  const more = DOCUMENT.replace('isEnabled: false', 'isEnabled: true')
    .replace('"#ops"', 'null')
    .replace('type: SERVICE', 'type: SERVICE\n      description: changed')
    .replace(
      '    - name: Mail',
      '    - { name: Extra, type: discord, config: { webhookUrl: "${HOOK}" } }\n    - name: Mail',
    )
  t.match(await apply(more), { status: 409 })
  t.equal(channels().length, 3, 'the new channel is deleted')
  for (const [index, { fields }] of before.entries()) {
    t.same({ ...channels()[index]?.fields, config: null }, { ...fields, config: null })
  }
  const restored = configOf(channels()[0])
  t.equal(restored.channel, '#ops')
  t.equal(opened(0, restored.webhookUrl), values.HOOK)
  const [entry] = await kit.database.batchSql<{ payload: object }[]>`SELECT payload FROM outbox
    WHERE organization_id = ${organizationId} AND payload ->> 'action' = 'configuration.undo'`
  t.match(entry?.payload, { changes: { reason: { to: 'It was changed in the meantime' } } })
})

t.test('a rejection by notifier leaves nothing changed', async (t) => {
  const { apply, channels, owned } = await withVariables()
  failOnce(t, 'notifier', 'onBatch', rejection)
  t.match(await apply(DOCUMENT), { status: 409 })
  t.same([channels(), owned.components.size], [[], 0])
  t.equal((await apply(DOCUMENT)).status, 200)
})

for (const at of ['onBatch', 'afterBatch'] as const) {
  t.test(`a lost reply of notifier (${at}) neither repeats nor loses changes`, async (t) => {
    const { apply, channels, drift } = await withVariables()
    failOnce(t, 'notifier', at, lostResponse)
    t.equal((await apply(DOCUMENT)).status, 504)
    await kit.runDue()
    t.equal(channels().length, 3)
    t.same(await drift(), [])
  })
}

t.test('channels that cannot be deleted are a warning', async (t) => {
  const { apply, channels } = await withVariables()
  await apply(DOCUMENT)
  kit.owners.onBatch((operation, batch) => {
    const isRemoval = operation.service === 'notifier' && batch.remove.length > 0
    if (isRemoval && batch.mode === 'apply') throw rejection()
  })
  t.teardown(() => kit.owners.onBatch(() => {}))
  const pruned = await apply(`${HEAD}  components: []\n`, { prune: true })
  t.match(pruned.body.warnings, [/^Notification channels were not deleted: It was changed/])
  t.ok(pruned.body.deleted.every((one: object) => !JSON.stringify(one).includes('channel')))
  t.equal(channels().length, 3)
})
