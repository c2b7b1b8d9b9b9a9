/**
 * Anonymous readers of a public page with one component receive no name of anything else, in any
 * form.
 */
import {
  deliveryOperations,
  draftEvent,
  type IncidentEventData,
  type MaintenanceEventData,
  maintenanceScheduled,
  packPositions,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { httpTarget, inject } from '@status-page/testing'
import t, { type Test } from 'tap'
import { channelStage } from '../../notification-channels/channels.fixture.ts'
import { created, generous, hook, incident, opened, stage, subscriber } from '../stage.fixture.ts'

const open = newId()
const OPEN_URL = 'https://status.example.com/status/acme/x/1'
const FOREIGN = /internal-name|customer-acme-db|web-7|staff-only/

const component = (name: string, isMuted = false): IncidentEventData['components'][number] => ({
  id: newId(),
  name,
  status: 'major_outage',
  isMuted,
  ancestorIds: [],
})

/** The public page shows `web-7` as Website; a page for members shows all of them. */
const shown = (web = component('web-7')) => ({
  components: [component('internal-name'), web, component('customer-acme-db')],
  url: 'https://status.example.com/status/staff-only/x/1',
  statusPageIds: [open],
  pages: [
    {
      id: open,
      url: OPEN_URL,
      isPublic: true,
      shown: packPositions([1]),
      names: { 1: 'Website' },
    },
  ],
})

/** An incident opened by checks, whose texts name a component. */
const automatic = (web?: IncidentEventData['components'][number]) =>
  incident({
    ...shown(web),
    title: 'web-7 is down',
    message: 'Automatic checks of internal-name have failed since 2026-01-02 03:04:05 UTC.',
    automatic: { title: [1], message: [0] },
  })

const maintenance: MaintenanceEventData = {
  id: newId(),
  title: 'Upgrade',
  status: 'scheduled',
  message: 'Short interruptions.',
  scheduledFor: '2026-01-02T03:00:00.000Z',
  scheduledUntil: '2026-01-02T04:00:00.000Z',
  startedAt: null,
  completedAt: null,
  cancelledAt: null,
  news: null,
  ...shown(),
  notifySubscribers: true,
}
const planned = draftEvent(
  maintenanceScheduled,
  { id: maintenance.id, version: 1 },
  { maintenance },
)
const events = ['incident.created', 'maintenance.scheduled'] as const
const stranger = (more: object) => subscriber({ statusPageId: open, events: [...events], ...more })

t.test('a text message names no component of another page', async (t) => {
  const twilio = await httpTarget(t, {
    status: 201,
    body: JSON.stringify({ sid: 'SM1', status: 'queued' }),
    headers: { 'content-type': 'application/json' },
  })
  const { create, publish, deliver } = await channelStage(
    t,
    generous,
    {},
    {
      TWILIO_BASE_URL: twilio.url,
    },
  )
  const accountSid = `AC${'0a'.repeat(16)}`
  const { status } = await create({
    name: 'SMS',
    type: 'sms',
    forSubscribers: true,
    config: { accountSid, authToken: 'swordfish', fromNumber: '+15005550006', recipients: [] },
  })
  t.equal(status, 201)
  await publish(
    created(stranger({ type: 'sms', phone: '+4930901820' })),
    opened(automatic()),
    planned,
  )
  await deliver()
  const texts = twilio.requests
    .filter(({ method }) => method === 'POST')
    .map(({ body }) => new URLSearchParams(body).get('Body') ?? '')
  t.equal(texts.length, 2)
  t.ok(texts.some((text) => text.includes('Website is down')))
  for (const text of texts) t.notMatch(text, FOREIGN)
})

/** Decodes the parts of a mail that are encoded in base64. */
const decoded = (raw = ''): string[] =>
  [...raw.matchAll(/base64\r?\n(?:[^\r\n]+\r?\n)*\r?\n([A-Za-z0-9+/=\r\n]+)/g)].map(([, part]) =>
    Buffer.from(part ?? '', 'base64').toString(),
  )

t.test('the calendar entry of a mail names no component of another page', async (t) => {
  const { publish, deliver, smtp } = await stage(t)
  await publish(created(stranger({ type: 'email', email: 'stranger@example.com' })), planned)
  await deliver()
  const raw = smtp.mails[0]?.raw ?? ''
  const entry = [raw, ...decoded(raw)].find((text) => text.includes('BEGIN:VCALENDAR'))
  t.match(entry, /Upgrade/)
  t.notMatch(raw, FOREIGN)
  for (const part of decoded(raw)) t.notMatch(part, FOREIGN)
})

t.test('a mail and a webhook about a failed check name it as the page does', async (t) => {
  const { publish, deliver, smtp } = await stage(t)
  const target = await httpTarget(t)
  await publish(
    created(stranger({ type: 'email', email: 'stranger@example.com' })),
    created(hook(target, { statusPageId: open })),
    opened(automatic()),
  )
  await deliver()
  const raw = smtp.mails[0]?.raw ?? ''
  t.match(raw, 'Website is down')
  t.match(raw, 'Automatic checks have failed')
  for (const text of [raw, ...decoded(raw), target.requests[0]?.body ?? '']) {
    t.notMatch(text, FOREIGN)
  }
  t.match(JSON.parse(target.requests[0]?.body ?? '').incident, {
    title: 'Website is down',
    components: ['Website'],
  })
})

/** One failed delivery, sent again through the API. */
const replayed = async (t: Test, one: object) => {
  const scene = await channelStage(t)
  await scene.publish(created(stranger(one)), opened(automatic()))
  await scene.deliver()
  await scene.admin`UPDATE notifier.deliveries SET state = 'exhausted', reason = 'attempts',
    finished_at = now()`
  const body = { since: '2000-01-01T00:00:00.000Z' }
  const { app, caller } = scene
  const answer = await inject(app, deliveryOperations.replayAll, { caller, body })
  t.match(answer.body, { replayed: 1 })
  await scene.send()
  return scene
}

t.test('a replayed webhook names no component of another page', async (t) => {
  const target = await httpTarget(t, { status: 422 })
  await replayed(t, { webhookUrl: `${target.url}/hook` })
  t.equal(target.requests.length, 2)
  for (const { body } of target.requests) t.notMatch(body, FOREIGN)
})

t.test('a replayed mail names no component of another page', async (t) => {
  const { smtp } = await replayed(t, { type: 'email', email: 'stranger@example.com' })
  t.equal(smtp.mails.length, 2)
  for (const { raw } of smtp.mails) {
    for (const text of [raw, ...decoded(raw)]) t.notMatch(text, FOREIGN)
  }
})

t.test('a page with muted components only sends nothing to its subscribers', async (t) => {
  const { publish, deliver, rows, smtp } = await stage(t)
  const reader = { type: 'email', email: 'stranger@example.com' }
  await publish(created(stranger(reader)), opened(automatic(component('web-7', true))))
  await deliver()
  t.equal(smtp.mails.length, 0)
  t.same(await rows(), [])
})

t.test(
  'components that were muted since cause no messages to the subscribers of their page',
  async (t) => {
    const { publish, drain, send, rows, smtp, admin, organizationId } = await stage(t)
    const web = component('web-7')
    await publish(
      created(stranger({ type: 'email', email: 'stranger@example.com' })),
      opened(automatic(web)),
    )
    await drain()
    await admin`INSERT INTO notifier.components
    (organization_id, id, name, is_muted, is_deleted, ancestor_ids, version)
    VALUES (${organizationId}, ${web.id}, 'web-7', true, false, '{}', 1)`
    await send()
    t.equal(smtp.mails.length, 0)
    t.match(await rows(), [{ state: 'suppressed', reason: 'muted' }])
  },
)
