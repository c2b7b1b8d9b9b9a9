/** Links that act: which recipients and messages get one, and that a text message has room. */
import { locales } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { renderContent } from '../../channels/render.ts'
import { readerLanguage } from '../../messages/reader-language.ts'
import type { WebhookEvent } from '../../messages/webhook-body.ts'
import { actionTokens, baseUrl } from '../stage.fixture.ts'
import { actionUrlOf } from './action-url.ts'

const occurredAt = new Date('2026-01-02T03:00:00.000Z')
const [id, userId, channelId] = [newId(), newId(), newId()]
const deps = { baseUrl, actionTokens }

const draft = {
  id,
  title: 'High latency',
  message: 'p99 is 3 s. '.repeat(40),
  impact: 'major' as const,
  components: [],
  startedAt: '2026-01-02T02:59:00.000Z',
  publishAt: '2026-01-02T03:30:00.000Z',
}

const linkFor = (destination: Parameters<typeof actionUrlOf>[1], payload: object) =>
  actionUrlOf(deps, destination, { occurredAt, payload })

t.test('members and channels get a link that names them, for 72 hours', async (t) => {
  const member = linkFor(
    { kind: 'user', type: 'email', userId, channelId: null },
    { alert: { id, status: 'triggered' } },
  )
  t.same(actionTokens.read(member?.split('/').at(-1) ?? ''), {
    subject: 'alert',
    subjectId: id,
    recipient: 'user',
    recipientId: userId,
    expiresAt: new Date('2026-01-05T03:00:00.000Z'),
  })
  const channel = linkFor({ kind: 'channel', type: 'sms', userId: null, channelId }, { draft })
  t.match(actionTokens.read(channel?.split('/').at(-1) ?? ''), {
    subject: 'draft',
    recipient: 'channel',
    recipientId: channelId,
  })
})

t.test('subscribers, resolved alerts and other events get none', async (t) => {
  const user = { kind: 'user', type: 'email', userId, channelId: null } as const
  t.equal(linkFor({ ...user, kind: 'subscriber' }, { draft }), null)
  t.equal(linkFor(user, { alert: { id, status: 'resolved' } }), null)
  t.equal(linkFor(user, { incident: { id } }), null)
})

t.test('a chat links to the page for signed-in members, without a token', async (t) => {
  for (const type of ['slack', 'teams', 'discord'] as const) {
    const destination = { kind: 'channel', type, userId: null, channelId } as const
    t.equal(linkFor(destination, { draft }), `${baseUrl}/account/drafts/${id}`)
    const alert = { id, status: 'triggered' }
    t.equal(linkFor(destination, { alert }), `${baseUrl}/account/alerts/${id}`)
    t.equal(linkFor(destination, { alert: { ...alert, status: 'resolved' } }), null)
  }
})

t.test('mails, text messages and chats of a channel contain their link', async (t) => {
  const event = { kind: 'incident-draft.created', occurredAt, draft } as unknown as WebhookEvent
  for (const locale of locales) {
    const language = readerLanguage(locale, 'UTC')
    const render = (type: 'email' | 'sms' | 'slack' | 'teams' | 'discord') => {
      const destination = { kind: 'channel', type, userId: null, channelId } as const
      const actionUrl = linkFor(destination, { draft }) ?? ''
      const context = {
        baseUrl,
        appearance: null,
        senderName: 'Acme',
        language,
        sequence: 1,
        coveredUpdates: 0,
        reader: { kind: 'channel' as const, channelName: 'Ops' },
        messageTemplate: null,
        actionUrl,
      }
      return { actionUrl, ...renderContent(type, { event, context, config: null }) }
    }
    const { mail, actionUrl } = render('email')
    t.match(mail?.text, actionUrl)
    t.match(mail?.html, `>${language.respond}</a>`)
    const sms = render('sms')
    t.ok(sms.text?.endsWith(sms.actionUrl))
    for (const type of ['slack', 'teams', 'discord'] as const) {
      const body = String(render(type).body)
      t.match(body, `/account/drafts/${id}`, type)
      t.notMatch(body, '/actions/', type)
      if (type !== 'discord') t.match(body, language.respond, type)
    }
  }
})
