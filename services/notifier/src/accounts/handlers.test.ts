/** Account mail is sent immediately, outside all limits, and only until it expires. */
import {
  accountInvited,
  accountResetRequested,
  accountWarned,
  draftEvent,
  type EventDraft,
  statusPageCreated,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import {
  created,
  generous,
  incident,
  opened,
  seals,
  stage,
  subscriber,
} from '../deliveries/stage.fixture.ts'

const HOUR_MS = 3_600_000
const soon = () => new Date(Date.now() + HOUR_MS).toISOString()

const sealed = (organizationId: string, recordId: string, token: string) =>
  seals.seal(token, { organizationId, purpose: 'mail-token', recordId })

const invited = (organizationId: string, email: string, expiresAt = soon()): EventDraft => {
  const id = newId()
  return draftEvent(
    accountInvited,
    { id, version: 1 },
    {
      email,
      name: null,
      userId: null,
      organizationName: 'Acme <b>',
      invitedBy: 'Ana',
      sealedToken: sealed(organizationId, id, 'invitation-token'),
      expiresAt,
    },
  )
}

const resetRequested = (organizationId: string, userId: string): EventDraft => {
  const id = newId()
  return draftEvent(
    accountResetRequested,
    { id, version: 1 },
    {
      email: 'ana@example.com',
      name: 'Ana',
      userId,
      sealedToken: sealed(organizationId, id, 'reset-token'),
      expiresAt: soon(),
    },
  )
}

t.test('an invitation is mailed with its token, once', async (t) => {
  const { publishAsGateway, deliver, smtp, organizationId } = await stage(t)
  await publishAsGateway(invited(organizationId, 'new@example.com'))
  await deliver()
  await deliver()
  t.equal(smtp.mails.length, 1)
  const [mail] = smtp.mails
  t.same(mail?.to, ['new@example.com'])
  t.match(mail?.raw, /Subject: Invitation to join Acme/)
  t.match(mail?.raw, /invitation-token/)
  t.notMatch(mail?.raw, /Acme <b>\s*<\/h1>/, 'names are text')
  t.notMatch(mail?.headers, { 'list-unsubscribe': /./ })
})

t.test('each reset has its own token, and both are mailed to the same person', async (t) => {
  const { publishAsGateway, deliver, smtp, organizationId, admin } = await stage(t)
  const userId = newId()
  await publishAsGateway(
    resetRequested(organizationId, userId),
    resetRequested(organizationId, userId),
  )
  await deliver()
  t.equal(smtp.mails.length, 2)
  t.match(await admin`SELECT kind, user_id FROM notifier.destinations`, [
    { kind: 'user', user_id: userId },
  ])
})

t.test('no limit and no backlog delays account mail', async (t) => {
  const limits = { ...generous, perSubscriber: 1, global: 1 }
  const { publish, publishAsGateway, deliver, smtp, organizationId } = await stage(t, limits)
  await publish(
    created(subscriber({ type: 'email', email: 'reader@example.com' })),
    opened(incident()),
    opened(incident()),
  )
  await publishAsGateway(
    invited(organizationId, 'one@example.com'),
    invited(organizationId, 'two@example.com'),
  )
  await deliver()
  const invitations = smtp.mails.filter(({ raw }) => raw.includes('Subject: Invitation to join'))
  t.equal(invitations.length, 2)
  t.equal(smtp.mails.length - invitations.length, 1)
})

t.test('an expired invitation is not mailed', async (t) => {
  const { publishAsGateway, deliver, runUpkeep, smtp, rows, organizationId } = await stage(t)
  await publishAsGateway(invited(organizationId, 'late@example.com', '2026-01-01T00:00:00.000Z'))
  await deliver()
  await runUpkeep()
  t.equal(smtp.mails.length, 0)
  t.match(await rows(), [{ state: 'exhausted', reason: 'expired' }])
})

t.test(
  'an unknown mailbox ends the delivery but does not suppress the destination of the account',
  async (t) => {
    const replies = { rcpt: (to: string) => (to.startsWith('gone') ? '550 5.1.1 unknown' : null) }
    const { publishAsGateway, deliver, rows, admin, organizationId } = await stage(
      t,
      generous,
      replies,
    )
    await publishAsGateway(invited(organizationId, 'gone@example.com'))
    await deliver()
    t.match(await rows(), [{ state: 'suppressed', reason: 'bad_address' }])
    t.match(await admin`SELECT state FROM notifier.destinations`, [{ state: 'active' }])
    t.same(await admin`SELECT kind FROM notifier.outbox WHERE kind LIKE 'subscriber.%'`, [])
  },
)

t.test('a warning states the event, its time and its source', async (t) => {
  const { publishAsGateway, deliver, smtp } = await stage(t)
  const about = {
    email: 'ana@example.com',
    name: 'Ana',
    userId: newId(),
    warning: 'two_factor_guessed',
    ipAddress: '203.0.113.9',
    at: '2026-01-02T03:04:05.000Z',
  } as const
  await publishAsGateway(draftEvent(accountWarned, { id: newId(), version: 1 }, about))
  await deliver()
  t.match(smtp.mails[0]?.raw.replaceAll(/=\r?\n/g, ''), /several incorrect two-factor codes/)
  t.match(smtp.mails[0]?.raw, /203\.0\.113\.9/)
})

t.test('account mail uses the language of the oldest page', async (t) => {
  const { publish, publishAsGateway, deliver, smtp, organizationId } = await stage(t)
  const page = { name: 'Seite', slug: 'seite', isPublished: true, url: 'https://example.com' }
  for (const locale of ['de', 'fr'] as const) {
    const id = newId()
    await publish(
      draftEvent(statusPageCreated, { id, version: 1 }, { statusPage: { id, ...page, locale } }),
    )
  }
  await publishAsGateway(invited(organizationId, 'new@example.com'))
  await deliver()
  t.match(smtp.mails[0]?.raw, /Subject: Einladung zu Acme/)
})
