/** Action links of alerts and drafts: each acts once, for its recipient, on POST only. */
import {
  type AlertSignal,
  alertSignalReceived,
  draftEvent,
  incidentDraftOperations,
  incidentOperations,
  type LinkAction,
  oncallAlertOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { type ActionTarget, createActionTokens } from '@status-page/secrets'
import t from 'tap'
import { coreKit, ENCRYPTION_KEY } from '../core.fixture.ts'
import { channelAdded, memberLeft, oncallScenario } from '../oncall/oncall.fixture.ts'

const kit = await coreKit(t)
const HOUR_MS = 3_600_000
const tokens = createActionTokens({ current: ENCRYPTION_KEY })

const open = (token: string, language = 'en') =>
  kit.http.inject({
    url: `/actions/${token}`,
    headers: { ...kit.anonymous, 'accept-language': language },
  })

const press = (token: string, action: LinkAction | 'delete') =>
  kit.http.inject({
    method: 'POST',
    url: `/actions/${token}`,
    headers: { ...kit.anonymous, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ action }).toString(),
  })

/** Actors and changes of the audit entries of an organization. */
const auditOf = async (organizationId: string, action: string) => {
  const rows = await kit.database.batchSql<{ payload: { action: string } }[]>`
    SELECT payload FROM outbox WHERE organization_id = ${organizationId}
      AND kind = 'audit.recorded' ORDER BY seq`
  return rows.map(({ payload }) => payload).filter((entry) => entry.action === action)
}

const scenario = async () => {
  const organization = await oncallScenario(kit)
  const { ana, organizationId } = organization
  await organization.schedule()
  const componentId = await organization.component('API')
  const link = (subjectId: string, more: Partial<ActionTarget> = {}) =>
    tokens.create({
      subject: 'alert',
      subjectId,
      recipient: 'user',
      recipientId: ana.userId,
      expiresAt: new Date(Date.now() + HOUR_MS),
      ...more,
    })
  const raise = async () => {
    await organization.reportDown(componentId)
    const [alert] = await organization.alerts()
    return alert?.id ?? ''
  }
  const draft = async (more: Partial<AlertSignal> = {}) => {
    const signal: AlertSignal = {
      id: newId(),
      integrationId: newId(),
      integrationName: 'Metrics',
      status: 'firing',
      title: 'High latency',
      message: 'p99 is *3 s*',
      impact: 'major',
      componentIds: [componentId],
      startsAt: new Date(Date.now() - HOUR_MS).toISOString(),
      endsAt: null,
      publishAfterMinutes: 30,
      labels: {},
      autoResolve: false,
      titleTemplate: '{{summary}}',
      messageTemplate: '{{description}}',
      ...more,
    }
    await kit.publishAndHandle(
      'integrations',
      organizationId,
      draftEvent(alertSignalReceived, { id: signal.id, version: 1 }, { signal }),
    )
    return signal.id
  }
  const draftStatus = async (id: string) =>
    (await organization.request(incidentDraftOperations.read, { params: { id } })).body.status
  const incidents = async () => (await organization.request(incidentOperations.list)).body.data
  return { ...organization, componentId, link, raise, draft, draftStatus, incidents }
}

t.test('the page shows the alert and its actions, and opening it changes nothing', async (t) => {
  const { link, raise, alerts } = await scenario()
  const token = link(await raise())
  for (let times = 0; times < 2; times++) {
    const page = await open(token)
    t.equal(page.statusCode, 200)
    t.match(page.headers, {
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy': /script-src 'none'/,
    })
    for (const text of ['API is down', 'Critical', 'Primary', '>Acknowledge<', '>Resolve<']) {
      t.match(page.body, text)
    }
  }
  t.match(await alerts(), [{ status: 'triggered' }])
  const german = (await open(token, 'de-CH')).body
  for (const text of ['API ist ausgefallen', 'Bestätigen']) t.match(german, text)
  t.match((await open(token, 'ar')).body, 'dir="rtl"')
})

t.test('an alert is acknowledged once, then resolved, by the recipient', async (t) => {
  const { link, raise, alerts, ana, organizationId } = await scenario()
  const token = link(await raise())
  const first = await press(token, 'acknowledge')
  t.match(first, { statusCode: 303, headers: { location: `/actions/${token}` } })
  t.match(await alerts(), [{ status: 'acknowledged', acknowledgedBy: ana.userId }])
  const page = (await open(token)).body
  t.match(page, 'Acknowledged by <bdi>Ana</bdi>')
  t.match(page, '>Resolve<')
  t.notMatch(page, '>Acknowledge<')
  const again = await press(token, 'acknowledge')
  t.equal(again.statusCode, 409)
  t.match(again.body, 'no longer possible')
  t.equal((await press(token, 'resolve')).statusCode, 303)
  t.equal((await press(token, 'resolve')).statusCode, 409)
  t.match((await open(token)).body, 'This alert is resolved.')
  const entries = await auditOf(organizationId, 'oncall_alert.update')
  t.match(entries, [
    { actorType: 'user', userId: ana.userId, changes: { status: { to: 'acknowledged' } } },
    { actorType: 'user', userId: ana.userId, changes: { status: { to: 'resolved' } } },
  ])
  t.equal(entries.length, 2)
})

t.test('two presses at the same time act once', async (t) => {
  const { link, raise, organizationId } = await scenario()
  const token = link(await raise())
  const both = await Promise.all([press(token, 'acknowledge'), press(token, 'acknowledge')])
  t.same(both.map(({ statusCode }) => statusCode).sort(), [303, 409])
  t.equal((await auditOf(organizationId, 'oncall_alert.update')).length, 1)
})

t.test('altered, expired and foreign links are one 404, and change nothing', async (t) => {
  const { link, raise, alerts, ana } = await scenario()
  const id = await raise()
  const token = link(id)
  const stranger = (await scenario()).ana
  const links = {
    altered: `${token.slice(0, 20)}${token[20] === 'A' ? 'B' : 'A'}${token.slice(21)}`,
    truncated: token.slice(0, -1),
    expired: link(id, { expiresAt: new Date(Date.now() - HOUR_MS) }),
    'of an unknown alert': link(newId()),
    'of another organization': link(id, { recipientId: stranger.userId }),
    'of another kind': link(id, { subject: 'draft' }),
    'of an unknown channel': link(id, { recipient: 'channel', recipientId: ana.userId }),
  }
  for (const [name, invalid] of Object.entries(links)) {
    const page = await open(invalid)
    t.equal(page.statusCode, 404, name)
    t.match(page.body, 'This link is not valid')
    t.equal((await press(invalid, 'acknowledge')).statusCode, 404, name)
  }
  t.equal((await press(token, 'delete')).statusCode, 400)
  t.equal((await press(token, 'veto')).statusCode, 404)
  t.match(await alerts(), [{ status: 'triggered' }])
})

t.test('the link of a member who left has no effect', async (t) => {
  const { link, raise, alerts, ana, publishMemberEvents } = await scenario()
  const token = link(await raise())
  await publishMemberEvents(memberLeft(ana))
  t.equal((await open(token)).statusCode, 404)
  t.equal((await press(token, 'acknowledge')).statusCode, 404)
  t.match(await alerts(), [{ status: 'triggered' }])
})

t.test('a draft is shown with its text and time, and vetoed once', async (t) => {
  const { link, draft, draftStatus, ana, organizationId } = await scenario()
  const id = await draft()
  const token = link(id, { subject: 'draft' })
  const page = (await open(token)).body
  for (const text of ['High latency', '<em>3 s</em>', 'published automatically', '>Publish<']) {
    t.match(page, text)
  }
  t.equal((await press(token, 'veto')).statusCode, 303)
  t.equal(await draftStatus(id), 'vetoed')
  t.match((await open(token)).body, 'This draft was vetoed.')
  const late = await press(token, 'publish')
  t.equal(late.statusCode, 409)
  t.match(late.body, 'This draft was vetoed.')
  t.equal(await draftStatus(id), 'vetoed')
  t.match(await auditOf(organizationId, 'incident_draft.update'), [
    { actorType: 'user', userId: ana.userId, changes: { status: { to: 'vetoed' } } },
  ])
})

t.test('publish and veto at the same time: one of them takes effect', async (t) => {
  const { link, draft, draftStatus, incidents } = await scenario()
  const id = await draft()
  const token = link(id, { subject: 'draft' })
  const both = await Promise.all([press(token, 'publish'), press(token, 'veto')])
  t.same(both.map(({ statusCode }) => statusCode).sort(), [303, 409])
  const isPublished = (await draftStatus(id)) === 'published'
  t.equal((await incidents()).length, isPublished ? 1 : 0)
})

t.test('an alert about a draft offers the decision on the draft', async (t) => {
  const { link, draft, draftStatus, schedule, request } = await scenario()
  await schedule({ name: 'Drafts', events: ['incident-draft.created'] })
  const id = await draft()
  await kit.drain()
  const { body } = await request(oncallAlertOperations.list)
  const alert = body.data.find(({ source }: { source: string }) => source === 'incident-draft')
  const token = link(alert.id)
  const page = (await open(token)).body
  t.match(page, '>Acknowledge<')
  t.match(page, '>Publish<')
  t.notMatch(page, '>Resolve<')
  t.equal((await press(token, 'publish')).statusCode, 303)
  t.equal(await draftStatus(id), 'published')
})

t.test('a link in a text message acts for its channel, which the audit log names', async (t) => {
  const { link, raise, alerts, organizationId } = await scenario()
  const channelId = newId()
  await kit.publishAndHandle('notifier', organizationId, channelAdded(channelId))
  const token = link(await raise(), { recipient: 'channel', recipientId: channelId })
  t.equal((await press(token, 'acknowledge')).statusCode, 303)
  t.match(await alerts(), [{ status: 'acknowledged', acknowledgedBy: null }])
  t.match(await auditOf(organizationId, 'oncall_alert.update'), [
    { actorType: 'system', changes: { notificationChannelId: { to: channelId } } },
  ])
})
