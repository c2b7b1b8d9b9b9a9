import { type Envelope, subjectOf, unavailable } from '@status-page/contracts'
import { MAX_ATTEMPTS } from '@status-page/postgres'
import { pino } from 'pino'
import t from 'tap'
import {
  aggregate,
  type BusTestScope,
  commitEvent,
  joined,
  moved,
  opened,
  organizationId,
  receiptsOf,
  recordingHandler,
  register,
  twoServices,
} from './bus.fixture.ts'
import { parseEnvelope } from './envelope.ts'
import type { HandlerContext } from './event-handler.ts'
import { eventHandler } from './event-handler.ts'
import { handleEvent, handleEvents } from './handle-event.ts'
import { DEFAULT_INTERVALS } from './intervals.ts'
import { memoryBus } from './memory.ts'
import { createRetryPauses } from './pauses.ts'
import { sweepAndSettle } from './sweep.ts'

const fixture = async (t: BusTestScope) => {
  const services = await twoServices(t)
  const audiences = recordingHandler('notifier-audiences', [joined])
  const deliveries = recordingHandler('notifier-deliveries', [opened, moved], {
    catchUp: { aggregates: true, subscribersVia: 'notifier-audiences' },
  })
  const eventHandlers = [deliveries.handler, audiences.handler]
  const context: HandlerContext = {
    database: services.notifier,
    eventHandlers,
    intervals: DEFAULT_INTERVALS,
    pauses: createRetryPauses(() => 0),
    logger: pino({ level: 'silent' }),
  }
  return { ...services, audiences, deliveries, context, eventHandlers }
}

/** Message of an event, at its first delivery. */
const inboundEvent = (
  spec: typeof opened | typeof moved,
  eventId: string,
  title: string,
  about: { id: string; version: number },
) => {
  const body: Envelope = {
    id: eventId,
    kind: spec.kind,
    organizationId,
    producer: 'core',
    aggregate: { type: 'incident', ...about },
    occurredAt: '2026-01-02T03:04:05.000Z',
    data: { title },
  }
  const raw = Buffer.from(JSON.stringify(body))
  return { eventId, subject: subjectOf(spec.kind, organizationId), raw, delivery: 1 }
}

t.test('a subscriber from before the incident is known when its event is handled', async (t) => {
  const { core, audiences, deliveries, context } = await fixture(t)
  await commitEvent(core, joined, 'subscriber')
  const about = aggregate()
  const id = await commitEvent(core, opened, 'incident', about)
  await handleEvent(context, deliveries.handler, inboundEvent(opened, id, 'incident', about))
  t.same(audiences.seen, ['subscriber'])
  t.same(deliveries.seen, ['incident'])
})

t.test('an earlier version is handled first', async (t) => {
  const { core, deliveries, context } = await fixture(t)
  const { id } = aggregate()
  await commitEvent(core, opened, 'v1', { id, version: 1 })
  await commitEvent(core, moved, 'v2', { id, version: 2 })
  const third = await commitEvent(core, moved, 'v3', { id, version: 3 })
  await handleEvent(
    context,
    deliveries.handler,
    inboundEvent(moved, third, 'v3', { id, version: 3 }),
  )
  t.same(deliveries.seen, ['v1', 'v2', 'v3'])
})

t.test('an event waits for a failing predecessor, and waiting is not an attempt', async (t) => {
  const { core, notifier, deliveries, context } = await fixture(t)
  deliveries.failing.add('v1')
  const { id } = aggregate()
  await commitEvent(core, opened, 'v1', { id, version: 1 })
  const second = await commitEvent(core, moved, 'v2', { id, version: 2 })
  const event = inboundEvent(moved, second, 'v2', { id, version: 2 })
  for (let delivery = 1; delivery <= 5; delivery++) {
    const { result } = await handleEvent(context, deliveries.handler, {
      ...event,
      delivery,
    })
    t.equal(result, 'waiting')
    context.pauses.clear('notifier-deliveries', await firstId(notifier))
  }
  const [waiting] = await notifier.batchSql`SELECT tries FROM dead_event WHERE event_id = ${second}`
  t.ok(waiting === undefined || waiting.tries <= 1)
  await handleEvent(context, deliveries.handler, { ...event, delivery: 6 })
  t.same(deliveries.seen, ['v2'], 'the predecessor is quarantined at its own sixth attempt')
})

const firstId = async (database: HandlerContext['database']): Promise<string> => {
  const [row] = await database.batchSql`SELECT event_id FROM core.outbox_feed ORDER BY seq LIMIT 1`
  return row?.event_id
}

t.test('a new durable over settled events notifies no recipient', async (t) => {
  const { core, notifier, deliveries, context } = await fixture(t)
  const about = aggregate()
  const id = await commitEvent(core, opened, 'old news', about)
  await sweepAndSettle(core.batchSql, ['core', 'notifier'], 1)
  await register(notifier, deliveries.handler)
  const handlerResult = await handleEvent(
    context,
    deliveries.handler,
    inboundEvent(opened, id, 'old news', about),
  )
  t.same(handlerResult, { result: 'not-registered' })
  t.same(deliveries.seen, [])
  t.equal(await receiptsOf(notifier, 'notifier-deliveries'), 1)
})

t.test('an event that never committed is not handled', async (t) => {
  const { deliveries, context } = await fixture(t)
  const about = aggregate()
  const event = inboundEvent(opened, aggregate().id, 'phantom', about)
  t.same(await handleEvent(context, deliveries.handler, event), { result: 'never-committed' })
  t.same(deliveries.seen, [])
})

t.test('a message that kills the process is quarantined at its sixth delivery', async (t) => {
  const { core, notifier, deliveries, context } = await fixture(t)
  const about = aggregate()
  const id = await commitEvent(core, opened, 'deadly', about)
  const event = inboundEvent(opened, id, 'deadly', about)
  await notifier.batchSql`INSERT INTO dead_event (consumer, event_id, subject, raw, tries)
    VALUES ('notifier-deliveries', ${id}, ${event.subject}, ${event.raw}, 5)`
  const handlerResult = await handleEvent(context, deliveries.handler, { ...event, delivery: 6 })
  t.same(handlerResult, { result: 'quarantined' })
  t.same(deliveries.seen, [])
  t.match((await notifier.batchSql`SELECT error FROM dead_event`)[0], {
    error: /process may have died/,
  })
})

t.test(
  'an overloaded database costs no attempt; a statement that always times out does',
  async (t) => {
    const { core, notifier, context } = await fixture(t)
    let refusal: Error = unavailable('The database is busy')
    const refused = eventHandler({
      consumer: 'notifier-refused',
      on: [opened],
      handle: () => Promise.reject(refusal),
    })
    const about = aggregate()
    const id = await commitEvent(core, opened, 'good news', about)
    const event = inboundEvent(opened, id, 'good news', about)
    for (let delivery = 1; delivery <= MAX_ATTEMPTS + 2; delivery++) {
      await t.rejects(handleEvent(context, refused, { ...event, delivery }), { message: /busy/ })
    }
    t.equal(await receiptsOf(notifier, 'notifier-refused'), 0)
    refusal = Object.assign(new Error('canceled'), { code: '57014' })
    for (let delivery = 2; delivery <= MAX_ATTEMPTS + 2; delivery++) {
      await handleEvent(context, refused, { ...event, delivery })
    }
    t.equal(await receiptsOf(notifier, 'notifier-refused'), 1, 'quarantined')
  },
)

t.test('a redelivery after the commit finds the receipt', async (t) => {
  const { core, deliveries, context } = await fixture(t)
  const about = aggregate()
  const id = await commitEvent(core, opened, 'once', about)
  const event = inboundEvent(opened, id, 'once', about)
  t.same(await handleEvent(context, deliveries.handler, event), { result: 'done' })
  const again = await handleEvent(context, deliveries.handler, { ...event, delivery: 2 })
  t.same(again, { result: 'already' })
  t.same(deliveries.seen, ['once'])
})

t.test('a view that cannot be read settles nothing', async (t) => {
  const { core } = await fixture(t)
  await commitEvent(core, opened, 'open')
  await t.rejects(sweepAndSettle(core.batchSql, ['core', 'nowhere' as 'monitor'], 1))
  const [row] = await core.batchSql`SELECT settled_at FROM outbox`
  t.equal(row?.settled_at, null)
})

t.test(
  'the memory bus drains the events of its services and rejects with their errors',
  async (t) => {
    const { core, notifier, audiences, deliveries, eventHandlers } = await fixture(t)
    const bus = memoryBus(t, [
      { database: core, eventHandlers: [] },
      { database: notifier, eventHandlers },
    ])
    await commitEvent(core, joined, 'subscriber')
    await commitEvent(core, opened, 'incident')
    t.equal(await bus.drain(), 2)
    t.equal(await bus.drain(), 0)
    t.same([audiences.seen, deliveries.seen], [['subscriber'], ['incident']])
    deliveries.failing.add('broken')
    await commitEvent(core, opened, 'broken')
    await t.rejects(bus.drain(), { message: 'cannot handle broken' })
  },
)

/** Commits an event per version and returns their messages. */
const committed = async (
  core: HandlerContext['database'],
  events: readonly { title: string; about: { id: string; version: number } }[],
) => {
  const messages = []
  for (const { title, about } of events) {
    const id = await commitEvent(core, moved, title, about)
    messages.push(inboundEvent(moved, id, title, about))
  }
  return messages
}

/** Number of transactions that inserted the receipts of the consumer. */
const transactionsOf = async (database: HandlerContext['database'], consumer: string) => {
  const [row] = await database.batchSql`
    SELECT count(DISTINCT xmin::text)::int AS n FROM inbox WHERE consumer = ${consumer}`
  return row?.n
}

t.test('events of one organization commit together, and a repeat has no effect', async (t) => {
  const { core, notifier, context } = await fixture(t)
  const { handler, seen } = recordingHandler('notifier-batches', [moved])
  const titles = ['a', 'b', 'c']
  const events = await committed(
    core,
    titles.map((title) => ({ title, about: aggregate() })),
  )
  const results = await handleEvents(context, handler, events)
  t.same(
    results,
    titles.map(() => ({ result: 'done' })),
  )
  t.same(seen, titles)
  t.equal(await receiptsOf(notifier, 'notifier-batches'), 3)
  t.equal(await transactionsOf(notifier, 'notifier-batches'), 1)
  t.match(await handleEvents(context, handler, events), [{ result: 'already' }])
  t.same(seen, titles)
})

t.test('an event that fails leaves the others of its batch handled', async (t) => {
  const { core, notifier, context } = await fixture(t)
  const { handler, failing } = recordingHandler('notifier-batches', [moved])
  failing.add('b')
  const titles = ['a', 'b', 'c']
  const events = await committed(
    core,
    titles.map((title) => ({ title, about: aggregate() })),
  )
  const unreadable = { ...events[0], eventId: aggregate().id, raw: Buffer.from('{') }
  const results = await handleEvents(context, handler, [...events, unreadable] as typeof events)
  t.match(results, [{ result: 'done' }, { result: 'failed' }, { result: 'done' }])
  t.match(results[3], { result: 'failed', error: { message: 'body is not JSON' } })
  t.equal(await receiptsOf(notifier, 'notifier-batches'), 2)
})

t.test('versions that arrive out of order are handled in order in a batch', async (t) => {
  const { core, notifier, context } = await fixture(t)
  const ordering = { catchUp: { aggregates: true } } as const
  const { handler, seen } = recordingHandler('notifier-batches', [moved], ordering)
  await register(notifier, handler)
  const { id } = aggregate()
  const versions = await committed(core, [
    { title: 'v1', about: { id, version: 1 } },
    { title: 'v2', about: { id, version: 2 } },
  ])
  await handleEvents(context, handler, versions.toReversed())
  t.same(seen, ['v1', 'v2'])
  const others = await committed(core, [
    { title: 'v3', about: { id, version: 3 } },
    { title: 'other', about: aggregate() },
  ])
  await handleEvents(context, handler, others)
  t.same(seen, ['v1', 'v2', 'v3', 'other'])
  t.equal(await transactionsOf(notifier, 'notifier-batches'), 3, 'only the last two are a batch')
})

t.test('subject, message id, producer and schema must agree with the body', (t) => {
  const eventId = aggregate().id
  const good = inboundEvent(opened, eventId, 'x', aggregate())
  const other = subjectOf(opened.kind, '0192f000-0000-7000-8000-00000000000f')
  const body = JSON.parse(good.raw.toString())
  const raw = (changed: object) => Buffer.from(JSON.stringify({ ...body, ...changed }))
  t.match(parseEnvelope([opened], good), { data: { title: 'x' } })
  t.match(parseEnvelope([opened], { ...good, raw: raw({ later: 1 }) }), { id: eventId })
  const refused: [RegExp, object][] = [
    [/not JSON/, { raw: Buffer.from('{') }],
    [/disagree/, { subject: other }],
    [/disagree/, { eventId: aggregate().id }],
    [/not handled/, { raw: raw({ kind: 'incident.vanished' }) }],
    [/does not produce/, { raw: raw({ producer: 'monitor' }) }],
    [/data/, { raw: raw({ data: { title: 1 } }) }],
    [/envelope/, { raw: raw({ aggregate: null }) }],
  ]
  for (const [message, changed] of refused) {
    t.throws(() => parseEnvelope([opened], { ...good, ...changed }), { message })
  }
  t.end()
})
