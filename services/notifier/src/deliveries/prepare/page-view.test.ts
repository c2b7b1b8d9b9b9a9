/**
 * Subscribers of a page receive the components, names and links of that page, and of no other page.
 */
import {
  draftEvent,
  type IncidentEventData,
  type MaintenanceEventData,
  maintenanceScheduled,
  organizationUpdated,
  packPositions,
  statusPageCreated,
} from '@status-page/contracts'
import { noTheme } from '@status-page/html'
import { newId } from '@status-page/postgres'
import { httpTarget } from '@status-page/testing'
import t, { type Test } from 'tap'
import { channelStage, slack } from '../../notification-channels/channels.fixture.ts'
import { created, generous, hook, incident, opened, stage, subscriber } from '../stage.fixture.ts'

const [open, members] = [newId(), newId()]
const OPEN_URL = 'https://status.example.com/status/acme/x/1'
const MEMBERS_URL = 'https://status.example.com/status/staff-only/x/1'

const component = (name: string): IncidentEventData['components'][number] => ({
  id: newId(),
  name,
  status: 'major_outage',
  isMuted: false,
  ancestorIds: [],
})

/** The public page shows the second component under a different name; the other page shows all. */
const shownOnBoth = {
  components: [component('internal-name'), component('web-7'), component('customer-acme-db')],
  url: OPEN_URL,
  statusPageIds: [members, open],
  pages: [
    { id: members, url: MEMBERS_URL, isPublic: false, shown: packPositions([0, 1, 2]) },
    {
      id: open,
      url: OPEN_URL,
      isPublic: true,
      shown: packPositions([1]),
      names: { 1: 'Website' },
    },
  ],
}
const shown = (change: Partial<IncidentEventData> = {}) => incident({ ...shownOnBoth, ...change })

const maintenance: MaintenanceEventData = {
  id: newId(),
  title: 'DB upgrade',
  status: 'scheduled',
  message: 'Short interruptions.',
  scheduledFor: '2026-01-02T03:00:00.000Z',
  scheduledUntil: '2026-01-02T04:00:00.000Z',
  startedAt: null,
  completedAt: null,
  cancelledAt: null,
  news: null,
  ...shownOnBoth,
  notifySubscribers: true,
}
const planned = (fact = maintenance) =>
  draftEvent(maintenanceScheduled, { id: fact.id, version: 1 }, { maintenance: fact })

const everything = ['incident.created', 'maintenance.scheduled'] as const
const stranger = (more: object = {}) =>
  subscriber({
    type: 'email',
    email: 'stranger@example.com',
    statusPageId: open,
    events: [...everything],
    ...more,
  })

const FOREIGN = /internal-name|customer-acme-db|web-7|staff-only/

/** Removes soft line breaks of quoted-printable and decodes encoded parts. */
const readable = (raw = ''): string =>
  [
    raw.replace(/=\r?\n/g, '').replaceAll('=3D', '='),
    ...[...raw.matchAll(/base64\r?\n(?:[^\r\n]+\r?\n)*\r?\n([A-Za-z0-9+/=\r\n]+)/g)].map(
      ([, part]) => Buffer.from(part ?? '', 'base64').toString(),
    ),
  ].join('\n')

const publicPage = draftEvent(
  statusPageCreated,
  { id: open, version: 1 },
  {
    statusPage: { id: open, name: 'Acme Shop', slug: 'acme', isPublished: true, url: OPEN_URL },
  },
)
const acme = (id: string) =>
  draftEvent(
    organizationUpdated,
    { id, version: 1 },
    { organization: { id, name: 'Acme Holding', slug: 'acme' } },
  )

t.test('a message names the page that the reader subscribed to', async (t) => {
  const { publish, publishAsGateway, deliver, smtp, organizationId } = await stage(t)
  const everywhere = stranger({ email: 'customer@example.com', statusPageId: null })
  await publishAsGateway(acme(organizationId))
  await publish(publicPage, created(stranger()), created(everywhere), opened(shown()))
  await deliver()
  const mailTo = (address: string) => smtp.mails.find(({ to }) => to.includes(address))
  const [page, organization] = [mailTo('stranger@example.com'), mailTo('customer@example.com')]
  t.match(page?.headers.subject, / - Acme Shop$/)
  t.match(page?.headers.from, /Acme Shop/)
  t.match(readable(page?.raw), /you subscribed to Acme Shop\./)
  t.notMatch(readable(page?.raw), /Acme Holding/)
  t.match(organization?.headers.subject, / - Acme Holding$/)
})

t.test('a mail has the language, time zone, logo and colours of its page', async (t) => {
  const { publish, publishAsGateway, deliver, smtp, organizationId } = await stage(t)
  const statusPage = {
    id: open,
    name: 'Acme Shop',
    slug: 'acme',
    isPublished: true,
    url: OPEN_URL,
    locale: 'de' as const,
    timezone: 'Asia/Tokyo',
    theme: { ...noTheme, primaryColor: '#7a1fa2' },
    logoUrl: 'https://cdn.example/shop.png',
    logoDarkUrl: null,
  }
  const hidden = { ...statusPage, id: members, logoUrl: 'https://cdn.example/staff.png' }
  const everywhere = (email: string) => created(stranger({ email, statusPageId: null }))
  const onHiddenPage = shown({ pages: shownOnBoth.pages.filter(({ isPublic }) => !isPublic) })
  await publishAsGateway(acme(organizationId))
  for (const page of [statusPage, hidden]) {
    await publish(draftEvent(statusPageCreated, { id: page.id, version: 1 }, { statusPage: page }))
  }
  await publish(created(stranger()), everywhere('customer@example.com'), opened(shown()))
  await deliver()
  t.equal(smtp.mails.length, 2)
  for (const { raw } of smtp.mails) {
    t.match(readable(raw), /src="https:\/\/cdn\.example\/shop\.png"/)
    t.match(readable(raw), /style="[^"]*background:#7a1fa2[^"]*" href/)
    t.match(readable(raw), /Beginn: 2\. Jan\. 2026, 12:04 GMT\+9/)
  }
  await publish(opened(onHiddenPage))
  await deliver()
  const customers = smtp.mails.filter(({ to }) => to.includes('customer@example.com'))
  t.equal(customers.length, 2)
  t.notMatch(readable(customers.at(-1)?.raw), '<img', 'no look of a page that is not public')
})

t.test('a mail names the components of its page and links to that page only', async (t) => {
  const { publish, deliver, smtp } = await stage(t)
  await publish(created(stranger()), opened(shown()), planned())
  await deliver()
  t.equal(smtp.mails.length, 2)
  for (const { raw } of smtp.mails) {
    const text = readable(raw)
    t.match(text, /Affected: Website/)
    t.ok(text.includes(OPEN_URL))
    t.notMatch(text, FOREIGN)
  }
})

t.test('a digest names the components of its page only', async (t) => {
  const { publish, deliver, smtp } = await stage(t, { ...generous, perSubscriber: 1 })
  await publish(created(stranger()), ...Array.from({ length: 8 }, () => opened(shown())))
  await deliver()
  t.equal(smtp.mails.length, 1)
  const text = readable(smtp.mails[0]?.raw)
  t.match(text, /8 updates/)
  t.ok(text.includes(OPEN_URL))
  t.notMatch(text, FOREIGN)
})

const bodiesOf = (target: { requests: { body: string }[] }) =>
  target.requests.map(({ body }) => JSON.parse(body).incident.components.join())

t.test('webhooks of two pages and of none receive three lists of components', async (t) => {
  const { publish, deliver } = await stage(t)
  const [first, second, third] = [await httpTarget(t), await httpTarget(t), await httpTarget(t)]
  await publish(
    created(hook(first, { statusPageId: open })),
    created(hook(second, { statusPageId: members })),
    created(hook(third)),
    opened(shown()),
  )
  await deliver()
  t.same(
    [bodiesOf(first), bodiesOf(second), bodiesOf(third)],
    [
      ['Website'],
      ['internal-name,web-7,customer-acme-db'],
      ['internal-name,web-7,customer-acme-db'],
    ],
  )
})

t.test('a subscriber without a page has no link to a page that is not public', async (t) => {
  const { publish, deliver, smtp } = await stage(t)
  const [hidden] = shownOnBoth.pages
  await publish(
    created(stranger({ statusPageId: null })),
    opened(
      shown({
        pages: hidden === undefined ? [] : [hidden],
        url: MEMBERS_URL,
        statusPageIds: [members],
      }),
    ),
  )
  await deliver()
  t.equal(smtp.mails.length, 1)
  t.notMatch(readable(smtp.mails[0]?.raw), /staff-only/)
})

t.test('an event without data of the page names none of its components', async (t) => {
  const { publish, deliver, smtp } = await stage(t)
  await publish(created(stranger()), opened(shown({ pages: [] })))
  await deliver()
  t.equal(smtp.mails.length, 1)
  t.notMatch(readable(smtp.mails[0]?.raw), /internal-name|Website|\/x\/1/)
})

const chat = async (t: Test) => {
  const scene = await channelStage(t)
  const target = await httpTarget(t, { body: 'ok' })
  await scene.create(slack(target.url))
  return { ...scene, text: () => JSON.parse(target.requests[0]?.body ?? '').text as string }
}

t.test('a channel belongs to the organization: its link is the public one', async (t) => {
  const { publish, deliver, text } = await chat(t)
  await publish(opened(shown()))
  await deliver()
  t.ok(text().includes(OPEN_URL))
})
