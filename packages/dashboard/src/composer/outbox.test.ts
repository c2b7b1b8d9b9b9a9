/** Publications through the outbox: nothing is lost, and nothing is published twice. */
import { mock } from 'node:test'
import { ApiError, ConnectionError } from '@status-page/client'
import type { NewIncident } from '@status-page/contracts'
import t, { type Test } from 'tap'
import { newDraft, type PublishedIncident } from './draft.ts'
import { Outbox, UNDO_MS } from './outbox.ts'
import type { Unsent } from './unsent-storage.ts'

const CLOCK = { apis: ['setTimeout', 'Date'] as ('setTimeout' | 'Date')[], now: 1_800_000_000_000 }

const errorOf = (status: number, reason?: string) =>
  new ApiError(status, { code: 'CONFLICT', message: 'refused', details: { reason } } as never)

const publishedOf = ({ title = '' }: NewIncident) => ({ id: 'i', title }) as PublishedIncident

/** Service that applies a request once per key, as the API does; `fail` replaces its reply. */
const stage = (t: Test) => {
  mock.timers.enable(CLOCK)
  t.teardown(() => mock.timers.reset())
  let unsent: Unsent = { drafts: [], queue: [] }
  const stored = new Map<string, string>()
  const calls: { title: string | undefined; key: string }[] = []
  const failures: { error: Error; takesEffect: boolean }[] = []
  const send = async (body: NewIncident, key: string) => {
    calls.push({ title: body.title, key })
    const failure = failures.shift()
    const text = JSON.stringify(body)
    const before = stored.get(key)
    if (failure?.takesEffect !== false && before === undefined) stored.set(key, text)
    if (failure !== undefined) throw failure.error
    if (before !== undefined && before !== text) throw errorOf(409, 'idempotency_key_reused')
    return publishedOf(body)
  }
  const openOutbox = () => {
    const outbox = new Outbox({
      storage: {
        read: () => unsent,
        change: (change) => {
          unsent = change(unsent)
        },
        subscribe: () => () => undefined,
      },
      claim: async () => () => undefined,
      isSameSession: async () => true,
      send,
      onPublished: () => undefined,
      onSessionEnd: () => undefined,
    })
    return { outbox, stop: outbox.start() }
  }
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  }
  const pass = async (ms: number) => {
    mock.timers.tick(ms)
    await settle()
  }
  const fail = (error: Error, takesEffect = false) => failures.push({ error, takesEffect })
  return { openOutbox, calls, stored, fail, pass, settle, unsent: () => unsent }
}

const draft = () => newDraft(0, { line: 'API down' })
const body: NewIncident = { title: 'API down' }

t.test('an incident is sent after five seconds, and not before', async (t) => {
  const { openOutbox, calls, pass, unsent } = stage(t)
  const { outbox } = openOutbox()
  outbox.publish(draft(), body)
  await pass(UNDO_MS - 1)
  t.same(calls, [])
  t.equal(unsent().drafts.length, 1, 'until then it is a draft in the storage')
  await pass(1)
  t.equal(calls.length, 1)
  t.match(outbox.state(), { published: { title: 'API down' }, queue: [], current: null })
})

t.test('an undone incident is the current draft again', async (t) => {
  const { openOutbox, calls, pass } = stage(t)
  const { outbox } = openOutbox()
  const entered = draft()
  outbox.publish(entered, body)
  outbox.takeBack(entered.id)
  await pass(UNDO_MS)
  t.same(calls, [])
  t.match(outbox.state().current, { line: 'API down' })
})

t.test('an end of the page during the countdown leaves a draft', async (t) => {
  const { openOutbox, calls, pass, settle } = stage(t)
  const first = openOutbox()
  first.outbox.publish(draft(), body)
  first.stop()
  await pass(UNDO_MS)
  const second = openOutbox()
  await settle()
  t.same(calls, [])
  t.match(second.outbox.state().current, { line: 'API down' })
})

t.test('a lost reply is repeated with the same key, also after a reload', async (t) => {
  const { openOutbox, calls, stored, fail, pass, settle } = stage(t)
  const first = openOutbox()
  fail(new ConnectionError('lost'), true)
  first.outbox.publish(draft(), body)
  await pass(UNDO_MS)
  t.match(first.outbox.state().queue, [{ attempts: 1 }])
  first.stop()
  const second = openOutbox()
  await settle()
  t.equal(calls.length, 2)
  t.equal(calls[0]?.key, calls[1]?.key)
  t.equal(stored.size, 1)
  t.match(second.outbox.state(), { queue: [], published: { title: 'API down' } })
})

t.test('a text changed after a lost reply shows both sides', async (t) => {
  const { openOutbox, stored, fail, pass } = stage(t)
  const { outbox } = openOutbox()
  fail(new ConnectionError('lost'), true)
  outbox.publish(draft(), body)
  await pass(UNDO_MS)
  const [queued] = outbox.state().queue
  outbox.takeBack(queued?.draft.id ?? '')
  const current = outbox.state().current ?? draft()
  outbox.publish({ ...current, line: 'API slow' }, { title: 'API slow' })
  await pass(UNDO_MS)
  t.equal(stored.size, 1, 'nothing else was published')
  t.match(outbox.state().current, {
    line: 'API slow',
    refusal: { kind: 'conflict', published: { title: 'API down' } },
  })
})

t.test('a changed text is published when the earlier request never arrived', async (t) => {
  const { openOutbox, stored, fail, pass } = stage(t)
  const { outbox } = openOutbox()
  fail(new ConnectionError('lost'), false)
  outbox.publish(draft(), body)
  await pass(UNDO_MS)
  outbox.takeBack(outbox.state().queue[0]?.draft.id ?? '')
  outbox.publish(outbox.state().current ?? draft(), { title: 'API slow' })
  await pass(UNDO_MS)
  t.same([...stored.values()], [JSON.stringify({ title: 'API slow' })])
  t.match(outbox.state().published, { title: 'API slow' })
})

t.test('a refused incident is a draft with the message, and gets another key', async (t) => {
  const { openOutbox, fail, pass } = stage(t)
  const { outbox } = openOutbox()
  const entered = draft()
  fail(errorOf(400))
  outbox.publish(entered, body)
  await pass(UNDO_MS)
  const { current, queue } = outbox.state()
  t.same(queue, [])
  t.match(current, {
    line: 'API down',
    refusal: { kind: 'refused', error: { message: 'refused' } },
  })
  t.not(current?.idempotencyKey, entered.idempotencyKey)
})

t.test('an incident is not repeated when the service no longer recognizes its key', async (t) => {
  const { openOutbox, calls, fail, pass } = stage(t)
  const { outbox } = openOutbox()
  fail(errorOf(503))
  outbox.publish(draft(), body)
  await pass(UNDO_MS)
  fail(errorOf(503))
  mock.timers.setTime(CLOCK.now + 24 * 3_600_000)
  await pass(60_000)
  t.ok(calls.length <= 2)
  outbox.retryNow()
  await pass(60_000)
  t.match(outbox.state().current, { refusal: { kind: 'expired' } })
})
