/** Sign-up on a page: readers who confirm are notified, others are not. */
import {
  componentOperations,
  incidentOperations,
  statusPageOperations,
  subscriberOperations,
  subscriptionOperations,
} from '@status-page/contracts'
import { eventually, httpTarget } from '@status-page/testing'
import t from 'tap'
import { register } from './kit/tenant.ts'
import { errorLogsOf, startWorld } from './kit/world.ts'

const SLUG = 'signed-up'
const READER = 'reader@example.com'
const STRANGER = 'stranger@example.com'
const TOLD_WITHIN_MS = 30_000

const world = await startWorld(t)
const { api } = await register(world.api, SLUG)
const component = await api.call(componentOperations.create, {
  body: { type: 'SERVICE', name: 'Checkout' },
})
await api.call(statusPageOperations.create, {
  body: { name: 'Acme', slug: SLUG, isPublished: true, allowWebhookSubscribers: true },
})

const signUp = (body: object) =>
  world.api.request(subscriptionOperations.subscribe, {
    params: { slug: SLUG },
    body: body as { type: 'email'; email: string },
  })
/** Unfolds the lines of a mail, which are folded in transit. */
const mailsTo = (address: string) =>
  world.smtp.mails
    .filter(({ to }) => to.includes(address))
    .map(({ raw }) => raw.replaceAll('=\r\n', ''))
const sent = async (address: string, count: number) => {
  await eventually(() => mailsTo(address).length >= count, { timeoutMs: TOLD_WITHIN_MS })
  return mailsTo(address)[count - 1] ?? ''
}
const open = (title: string) =>
  api.call(incidentOperations.create, {
    body: { title, componentStatuses: { [component.id]: 'partial_outage' } },
  })
const form = (path: string, body = '') =>
  world.api.send('POST', path, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
  })

t.test('a reader who confirms by the link of the mail is notified', async (t) => {
  t.equal((await signUp({ type: 'email', email: READER })).status, 202)
  t.equal((await signUp({ type: 'email', email: STRANGER })).status, 202)
  const [, path = ''] = /(\/subscriptions\/confirm\/[\w-]+)/.exec(await sent(READER, 1)) ?? []
  const page = await world.api.send('GET', path)
  t.equal(page.status, 200)
  t.match(page.headers.get('content-security-policy'), /style-src 'sha256-/)
  const confirmed = await form(path)
  t.match(confirmed.text, 'Subscription confirmed')
  await open('Payments fail')
  t.match(await sent(READER, 2), /Payments fail/)
  await sent(STRANGER, 1)
  t.equal(mailsTo(STRANGER).length, 1, 'the confirmation request only')
})

t.test('a webhook confirms its subscription itself', async (t) => {
  const target = await httpTarget(t, { status: 204 })
  const secret = 'sixteen-or-more-characters'
  const body = { type: 'webhook', webhookUrl: `${target.url}/hook`, webhookSecret: secret }
  t.equal((await signUp(body)).status, 202)
  await eventually(() => target.requests.length > 0, { timeoutMs: TOLD_WITHIN_MS })
  const question = JSON.parse(target.requests[0]?.body ?? '{}')
  t.equal(question.type, 'subscription.verification')
  t.ok(target.requests[0]?.headers['webhook-signature'])
  const response = await fetch(question.confirmUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: question.token }),
  })
  t.equal(response.status, 200)
  await open('Search is slow')
  await eventually(() => target.requests.length > 1, { timeoutMs: TOLD_WITHIN_MS })
  t.match(JSON.parse(target.requests[1]?.body ?? '{}'), { event: 'incident.created' })
})

t.test('the link in a mail leads to the settings and to unsubscribing', async (t) => {
  const [, path = ''] = /(\/subscriptions\/[\w-]{43})/.exec(mailsTo(READER)[1] ?? '') ?? []
  const page = await world.api.send('GET', path)
  t.match(page.text, 'Checkout')
  const saved = await form(path, 'scope=all&event-incident.resolved=on')
  t.match(saved.text, 'Changes saved.')
  const left = await form(`${path}/unsubscribe`, 'List-Unsubscribe=One-Click')
  t.match(left.text, 'You have been unsubscribed')
  const listed = await api.request(subscriberOperations.list, { query: { search: READER } })
  const { data } = JSON.parse(listed.text)
  t.match(data, [{ status: 'unsubscribed', statusReason: 'link', events: ['incident.resolved'] }])
})

t.test('subscribers are imported from a file through the gateway', async (t) => {
  const upload = new FormData()
  upload.append('file', new File(['type,email\nemail,one@example.com\nfax,x\n'], 'list.csv'))
  const response = await api.send('POST', '/api/v1/subscribers/import', { body: upload })
  t.equal(response.status, 200)
  t.match(JSON.parse(response.text), {
    imported: 1,
    failed: 1,
    errors: [{ row: 3, field: 'type' }],
  })
  await open('Sent to imported subscribers')
  t.match(await sent('one@example.com', 1), /Sent to imported subscribers/)
})

t.test('no service logged an error', async (t) => {
  t.same(errorLogsOf(world), [])
})
