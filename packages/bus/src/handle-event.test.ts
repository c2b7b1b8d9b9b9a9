import { type Envelope, subjectOf, unavailable } from '@status-page/contracts'
import { MAX_ATTEMPTS } from '@status-page/postgres'
import { pino } from 'pino'
import t from 'tap'
import {
  aggregate,
  type BusTestScope,
  joined,
  moved,
  opened,
  organizationId,
  receiptsOf,
  register,
  state,
  twoServices,
  watched,
} from './bus.fixture.ts'
import { openEnvelope } from './envelope.ts'
import { eventHandler } from './event-handler.ts'
import { type HandlerContext, handleEvent } from './handle-event.ts'
import { INTERVALS } from './intervals.ts'
import { memoryBus } from './memory.ts'
import { createPauses } from './pauses.ts'
import { sweepAndSettle } from './sweep.ts'

const speaking = async (t: BusTestScope) => {
  const services = await twoServices(t)
  const audiences = watched('notifier-audiences', [joined])
  const deliveries = watched('notifier-deliveries', [opened, moved], {
    catchUp: { aggregates: true, subscribersVia: 'notifier-audiences' },
  })
  const reactions = [deliveries.reaction, audiences.reaction]
  const desk: HandlerContext = {
    database: services.notifier,
    reactions,
    intervals: INTERVALS,
    pauses: createPauses(() => 0),
    logger: pino({ level: 'silent' }),
  }
  return { ...services, audiences, deliveries, desk, reactions }
}

/** The message that carries an event, first delivery. */
const arrivalOf = (
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

t.test('who subscribed before the incident is known when it is told', async (t) => {
  const { core, audiences, deliveries, desk } = await speaking(t)
  await state(core, joined, 'subscriber')
  const about = aggregate()
  const id = await state(core, opened, 'incident', about)
  await handleEvent(desk, deliveries.reaction, arrivalOf(opened, id, 'incident', about))
  t.same(audiences.seen, ['subscriber'])
  t.same(deliveries.seen, ['incident'])
})

t.test('an earlier version is taken first', async (t) => {
  const { core, deliveries, desk } = await speaking(t)
  const { id } = aggregate()
  await state(core, opened, 'v1', { id, version: 1 })
  await state(core, moved, 'v2', { id, version: 2 })
  const third = await state(core, moved, 'v3', { id, version: 3 })
  await handleEvent(desk, deliveries.reaction, arrivalOf(moved, third, 'v3', { id, version: 3 }))
  t.same(deliveries.seen, ['v1', 'v2', 'v3'])
})

t.test('an event waits for a failing predecessor, and waiting is not a try', async (t) => {
  const { core, notifier, deliveries, desk } = await speaking(t)
  deliveries.failing.add('v1')
  const { id } = aggregate()
  await state(core, opened, 'v1', { id, version: 1 })
  const second = await state(core, moved, 'v2', { id, version: 2 })
  const arrival = arrivalOf(moved, second, 'v2', { id, version: 2 })
  for (let delivery = 1; delivery <= 5; delivery++) {
    const { result } = await handleEvent(desk, deliveries.reaction, {
      ...arrival,
      delivery,
    })
    t.equal(result, 'waiting')
    desk.pauses.clear('notifier-deliveries', await firstId(notifier))
  }
  const [waiting] = await notifier.batchSql`SELECT tries FROM dead_event WHERE event_id = ${second}`
  t.ok(waiting === undefined || waiting.tries <= 1)
  await handleEvent(desk, deliveries.reaction, { ...arrival, delivery: 6 })
  t.same(deliveries.seen, ['v2'], 'the predecessor is quarantined at its own sixth try')
})

const firstId = async (database: HandlerContext['database']): Promise<string> => {
  const [row] = await database.batchSql`SELECT event_id FROM core.outbox_feed ORDER BY seq LIMIT 1`
  return row?.event_id
}

t.test('a new durable over settled events speaks to nobody', async (t) => {
  const { core, notifier, deliveries, desk } = await speaking(t)
  const about = aggregate()
  const id = await state(core, opened, 'old news', about)
  await sweepAndSettle(core.batchSql, ['core', 'notifier'], 1)
  await register(notifier, deliveries.reaction)
  const handled = await handleEvent(
    desk,
    deliveries.reaction,
    arrivalOf(opened, id, 'old news', about),
  )
  t.same(handled, { result: 'never-owed' })
  t.same(deliveries.seen, [])
  t.equal(await receiptsOf(notifier, 'notifier-deliveries'), 1)
})

t.test('nobody is told of an event that never committed', async (t) => {
  const { deliveries, desk } = await speaking(t)
  const about = aggregate()
  const arrival = arrivalOf(opened, aggregate().id, 'phantom', about)
  t.same(await handleEvent(desk, deliveries.reaction, arrival), { result: 'never-committed' })
  t.same(deliveries.seen, [])
})

t.test('a message that kills the process is quarantined on its sixth delivery', async (t) => {
  const { core, notifier, deliveries, desk } = await speaking(t)
  const about = aggregate()
  const id = await state(core, opened, 'deadly', about)
  const arrival = arrivalOf(opened, id, 'deadly', about)
  await notifier.batchSql`INSERT INTO dead_event (consumer, event_id, subject, raw, tries)
    VALUES ('notifier-deliveries', ${id}, ${arrival.subject}, ${arrival.raw}, 5)`
  const handled = await handleEvent(desk, deliveries.reaction, { ...arrival, delivery: 6 })
  t.same(handled, { result: 'quarantined' })
  t.same(deliveries.seen, [])
  t.match((await notifier.batchSql`SELECT error FROM dead_event`)[0], {
    error: /process may have died/,
  })
})

t.test(
  'what a busy database refuses is no try; a statement that never ends in time is',
  async (t) => {
    const { core, notifier, desk } = await speaking(t)
    let refusal: Error = unavailable('The database is busy')
    const refused = eventHandler({
      consumer: 'notifier-refused',
      on: [opened],
      handle: () => Promise.reject(refusal),
    })
    const about = aggregate()
    const id = await state(core, opened, 'good news', about)
    const arrival = arrivalOf(opened, id, 'good news', about)
    for (let delivery = 1; delivery <= MAX_ATTEMPTS + 2; delivery++) {
      await t.rejects(handleEvent(desk, refused, { ...arrival, delivery }), { message: /busy/ })
    }
    t.equal(await receiptsOf(notifier, 'notifier-refused'), 0)
    refusal = Object.assign(new Error('canceled'), { code: '57014' })
    for (let delivery = 2; delivery <= MAX_ATTEMPTS + 2; delivery++) {
      await handleEvent(desk, refused, { ...arrival, delivery })
    }
    t.equal(await receiptsOf(notifier, 'notifier-refused'), 1, 'quarantined')
  },
)

t.test('a redelivery after the commit finds the receipt', async (t) => {
  const { core, deliveries, desk } = await speaking(t)
  const about = aggregate()
  const id = await state(core, opened, 'once', about)
  const arrival = arrivalOf(opened, id, 'once', about)
  t.same(await handleEvent(desk, deliveries.reaction, arrival), { result: 'done' })
  const again = await handleEvent(desk, deliveries.reaction, { ...arrival, delivery: 2 })
  t.same(again, { result: 'already' })
  t.same(deliveries.seen, ['once'])
})

t.test('a view that cannot be read settles nothing', async (t) => {
  const { core } = await speaking(t)
  await state(core, opened, 'open')
  await t.rejects(sweepAndSettle(core.batchSql, ['core', 'nowhere' as 'monitor'], 1))
  const [row] = await core.batchSql`SELECT settled_at FROM outbox`
  t.equal(row?.settled_at, null)
})

t.test('the memory bus drains what members say, and shows their errors', async (t) => {
  const { core, notifier, audiences, deliveries, reactions } = await speaking(t)
  const bus = memoryBus(t, [
    { database: core, reactions: [] },
    { database: notifier, reactions },
  ])
  await state(core, joined, 'subscriber')
  await state(core, opened, 'incident')
  t.equal(await bus.drain(), 2)
  t.equal(await bus.drain(), 0)
  t.same([audiences.seen, deliveries.seen], [['subscriber'], ['incident']])
  deliveries.failing.add('broken')
  await state(core, opened, 'broken')
  await t.rejects(bus.drain(), { message: 'cannot handle broken' })
})

t.test('subject, message id, producer and schema must agree with the body', (t) => {
  const eventId = aggregate().id
  const good = arrivalOf(opened, eventId, 'x', aggregate())
  const other = subjectOf(opened.kind, '0192f000-0000-7000-8000-00000000000f')
  const body = JSON.parse(good.raw.toString())
  const raw = (changed: object) => Buffer.from(JSON.stringify({ ...body, ...changed }))
  t.match(openEnvelope([opened], good), { data: { title: 'x' } })
  t.match(openEnvelope([opened], { ...good, raw: raw({ later: 1 }) }), { id: eventId })
  const refused: [RegExp, object][] = [
    [/not JSON/, { raw: Buffer.from('{') }],
    [/disagree/, { subject: other }],
    [/disagree/, { eventId: aggregate().id }],
    [/not taken/, { raw: raw({ kind: 'incident.vanished' }) }],
    [/does not produce/, { raw: raw({ producer: 'monitor' }) }],
    [/data/, { raw: raw({ data: { title: 1 } }) }],
    [/envelope/, { raw: raw({ aggregate: null }) }],
  ]
  for (const [message, changed] of refused) {
    t.throws(() => openEnvelope([opened], { ...good, ...changed }), { message })
  }
  t.end()
})
