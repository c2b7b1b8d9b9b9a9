/** Batches of config-sync on a real database: all or nothing, at most once, and exact undo. */
import {
  channelBatchOperations as batches,
  type ChannelBatch,
  type ChannelType,
  channelSecrets,
  notificationChannelOperations as channels,
  REDACTED,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { mapSecrets } from '@status-page/secrets'
import { inject, testCaller } from '@status-page/testing'
import t from 'tap'
import { seals } from '../../deliveries/stage.fixture.ts'
import { channelStage } from '../channels.fixture.ts'

const { app, notifier } = await channelStage(t)
const HOOK = 'http://127.0.0.1:9000/hook-secret'

const batchOf = (parts: object) => ({
  id: newId(),
  mode: 'apply',
  undoes: null,
  create: [],
  update: [],
  remove: [],
  ...parts,
})

const organization = () => {
  const caller = testCaller({ role: 'ADMIN' })
  const { organizationId } = caller
  const sealed = (id: string, type: ChannelType, config: object) =>
    mapSecrets(channelSecrets[type], config, (text) =>
      text === REDACTED
        ? text
        : seals.seal(text, { organizationId, purpose: 'channel', recordId: id }),
    )
  const slack = (id: string, webhookUrl = HOOK, more: object = {}) => ({
    id,
    value: { name: 'Ops', type: 'slack', config: sealed(id, 'slack', { webhookUrl }), ...more },
  })
  const apply = (parts: Partial<Record<keyof ChannelBatch, unknown>>) =>
    inject(app, batches.apply, { caller, body: batchOf(parts) })
  const definitions = async () => (await inject(app, batches.definitions, { caller })).body.data
  const opened = (id: string, text: unknown) =>
    seals.open(String(text), { organizationId, purpose: 'channel', recordId: id })
  const emitted = async () => {
    const rows = await notifier.batchSql<{ kind: string; payload: { action?: string } }[]>`
      SELECT kind, payload FROM outbox WHERE organization_id = ${organizationId} ORDER BY seq`
    return rows.map(({ kind, payload }) => payload.action ?? kind)
  }
  return { caller, sealed, slack, apply, definitions, opened, emitted }
}

t.test('a repeated batch changes nothing, and markers keep secrets', async (t) => {
  const { caller, slack, apply, definitions, opened, emitted } = organization()
  const id = newId()
  const body = batchOf({ create: [slack(id, HOOK, { componentIds: [newId()] })] })
  const first = await inject(app, batches.apply, { caller, body })
  t.same(first.body, { isRepeat: false }, JSON.stringify(first.body))
  t.same((await inject(app, batches.apply, { caller, body })).body, { isRepeat: true })
  const [stored] = await definitions()
  t.match(stored, { id, managedByConfig: true, fields: { name: 'Ops', isEnabled: true } })
  t.equal(opened(id, stored.fields.config.webhookUrl), HOOK)
  t.match((await inject(app, channels.list, { caller })).body.data, [
    { id, managedByConfig: true, config: { webhookUrl: REDACTED } },
  ])
  const value = { config: { webhookUrl: REDACTED, channel: '#ops' }, events: ['monitor.down'] }
  const { etag } = stored
  t.equal((await apply({ update: [{ id, etag, value }] })).status, 200)
  const [changed] = await definitions()
  t.equal(opened(id, changed.fields.config.webhookUrl), HOOK)
  t.match(changed.fields, { config: { channel: '#ops' }, events: ['monitor.down'] })
  const stale = await apply({ update: [{ id, etag, value }] })
  t.match(stale, { status: 409, body: { error: { details: { reason: 'version_mismatch' } } } })
  t.equal((await apply({ remove: [{ id, etag: changed.etag }] })).status, 200)
  t.same(await definitions(), [])
  t.equal((await apply({ remove: [{ id, etag }] })).status, 200, 'it counts as deleted')
  t.same(await emitted(), [
    'notification-channel.created',
    'notification_channel.create',
    'notification-channel.updated',
    'notification_channel.update',
    'notification-channel.deleted',
    'notification_channel.delete',
  ])
  const outbox = await notifier.batchSql`SELECT payload FROM outbox`
  t.notMatch(JSON.stringify(outbox), 'hook-secret')
})

t.test('one invalid entry rejects the whole batch in every mode', async (t) => {
  const { sealed, slack, apply, definitions } = organization()
  const [other, web, mail] = [newId(), newId(), newId()]
  const hook = (config: object) => ({ name: 'Hook', type: 'webhook', config })
  const cases: [string, { id: string; value: object }, string][] = [
    ['a plain secret', { id: web, value: hook({ url: HOOK, headers: { A: 'b' } }) }, 'headers.A'],
    ['a secret of another channel', { ...slack(other), id: web }, 'webhookUrl'],
    ['a marker', slack(web, REDACTED), 'webhookUrl'],
    ['a missing field', { id: web, value: hook({}) }, 'url'],
    ['a wrong kind', { id: web, value: hook({ url: HOOK, method: 'GET' }) }, 'method'],
    ['a private address', { id: web, value: hook({ url: 'http://10.0.0.1/' }) }, 'url'],
    ['a private address as a secret', slack(web, 'http://169.254.169.254/'), 'webhookUrl'],
    [
      'a private mail server',
      {
        id: mail,
        value: {
          name: 'Mail',
          type: 'email',
          config: sealed(mail, 'email', {
            smtpHost: '192.168.1.1',
            smtpPort: 587,
            fromAddress: 'a@example.com',
          }),
        },
      },
      'smtpHost',
    ],
  ]
  for (const mode of ['validate', 'dry-run', 'apply'] as const) {
    for (const [what, wrong, field] of cases) {
      // The dry run checks addresses before any change, and every message checks its own again.
      if (mode === 'apply' && what.startsWith('a private')) continue
      const answer = await apply({ mode, create: [slack(newId()), wrong] })
      t.equal(answer.status, 400, `${mode}: ${what} ${JSON.stringify(answer.body)}`)
      t.equal(answer.body.error.details.field, `create[1].value.config.${field}`, what)
    }
    const absent = { id: newId(), etag: 'a'.repeat(64), value: { isEnabled: false } }
    t.equal((await apply({ mode, create: [slack(newId())], update: [absent] })).status, 409)
  }
  t.same(await definitions(), [])
})

t.test(
  'an undo restores the fields of its batch, and a batch not applied is blocked',
  async (t) => {
    const { caller, sealed, slack, apply, definitions, opened } = organization()
    const [kept, added] = [newId(), newId()]
    await apply({ create: [slack(kept)] })
    const [{ etag }] = await definitions()
    const other = sealed(kept, 'slack', { webhookUrl: `${HOOK}-2` })
    const id = newId()
    const value = { config: other, isEnabled: false }
    await apply({
      id,
      create: [slack(added, HOOK, { name: 'New' })],
      update: [{ id: kept, etag, value }],
    })
    t.equal((await definitions()).length, 2)
    await inject(app, channels.update, {
      caller,
      params: { id: kept },
      body: { messageTemplate: 'by hand' },
    })
    const before = { config: sealed(kept, 'slack', { webhookUrl: HOOK }), isEnabled: true }
    const undo = {
      undoes: id,
      update: [
        { id: kept, etag: null, value: before },
        { id: newId(), etag: null, value: before },
      ],
      remove: [{ id: added, etag: null }],
    }
    t.equal((await apply(undo)).status, 200)
    const [restored, ...rest] = await definitions()
    t.same(rest, [])
    t.match(restored.fields, { isEnabled: true, messageTemplate: 'by hand' })
    t.equal(opened(kept, restored.fields.config.webhookUrl), HOOK)

    const late = newId()
    t.same((await apply({ undoes: late, remove: [{ id: kept, etag: null }] })).body, {
      isRepeat: false,
    })
    t.equal((await definitions()).length, 1, 'there is nothing to undo')
    t.same((await apply({ id: late, remove: [{ id: kept, etag: null }] })).body, { isRepeat: true })
    t.equal((await definitions()).length, 1, 'the late batch does not apply')
  },
)

t.test('channels of another organization are neither read nor changed', async (t) => {
  const owner = organization()
  const stranger = organization()
  const id = newId()
  await owner.apply({ create: [owner.slack(id)] })
  const [{ etag }] = await owner.definitions()
  t.same(await stranger.definitions(), [])
  const update = [{ id, etag, value: { isEnabled: false } }]
  t.equal((await stranger.apply({ update })).status, 409)
  t.equal((await stranger.apply({ remove: [{ id, etag }] })).status, 200)
  t.match(await owner.definitions(), [{ id, fields: { isEnabled: true } }])
})

t.test('a taken name and a list of several pages', async (t) => {
  const { slack, apply, definitions, caller } = organization()
  const create = Array.from({ length: 25 }, (_, index) =>
    slack(newId(), HOOK, { name: `Channel ${index}` }),
  )
  t.equal((await apply({ create })).status, 200)
  const first = await inject(app, batches.definitions, { caller })
  t.equal(first.body.data.length, 20)
  const rest = await inject(app, batches.definitions, {
    caller,
    query: { after: first.body.next },
  })
  t.match(rest.body, { data: { length: 5 }, next: null })
  const again = await apply({ create: [slack(newId(), HOOK, { name: 'Channel 3' })] })
  t.match(again, { status: 409, body: { error: { message: /Channel 3 was created/ } } })
  t.equal((await definitions()).length, 20)
})
