/** Projections are caught up with open events before they are used. */
import { pino } from 'pino'
import t from 'tap'
import {
  aggregate,
  commitEvent,
  joined,
  moved,
  recordingHandler,
  twoServices,
} from './bus.fixture.ts'
import { catchUpAggregates, catchUpOrganization, catchUpProjection } from './projection-catch-up.ts'

const fixture = async (t: Parameters<typeof twoServices>[0]) => {
  const services = await twoServices(t)
  const projection = recordingHandler('notifier-audiences', [joined, moved])
  const isUpToDate = catchUpProjection({
    database: services.notifier,
    handler: projection.handler,
    type: 'subscriber',
    logger: pino({ level: 'silent' }),
  })
  return { ...services, projection, isUpToDate }
}

t.test('the open events of the aggregate are handled once, and no others', async (t) => {
  const { core, projection, isUpToDate } = await fixture(t)
  const about = aggregate()
  await commitEvent(core, joined, 'first', about)
  await commitEvent(core, joined, 'second', aggregate(2, about.id))
  await commitEvent(core, joined, 'another subscriber')
  t.equal(await isUpToDate(about.id), true)
  t.equal(await isUpToDate(about.id), true)
  t.same(projection.seen, ['first', 'second'])
})

t.test('while an event fails the catch-up fails, and its pause is respected', async (t) => {
  const { core, notifier, projection, isUpToDate } = await fixture(t)
  const about = aggregate()
  projection.failing.add('left')
  await commitEvent(core, joined, 'left', about)
  for (let attempt = 0; attempt < 10; attempt++) t.equal(await isUpToDate(about.id), false)
  t.match(await notifier.batchSql`SELECT tries FROM dead_event`, [{ tries: 1 }])
})

t.test('the events of a whole organization are handled, and none of another', async (t) => {
  const { core, notifier } = await twoServices(t)
  const projection = recordingHandler('notifier-audiences', [joined, moved])
  const isUpToDate = catchUpOrganization({
    database: notifier,
    handler: projection.handler,
    type: 'subscriber',
    logger: pino({ level: 'silent' }),
  })
  await commitEvent(core, joined, 'first')
  await commitEvent(core, joined, 'second')
  const [row] = await core.batchSql<{ organizationId: string }[]>`
    SELECT organization_id AS "organizationId" FROM outbox LIMIT 1`
  t.equal(await isUpToDate('00000000-0000-0000-0000-000000000001'), true)
  t.same(projection.seen, [])
  t.equal(await isUpToDate(row?.organizationId ?? ''), true)
  t.same(projection.seen, ['first', 'second'])
})

t.test('of many aggregates, only those with a failing event are reported', async (t) => {
  const { core, notifier, projection } = await fixture(t)
  const catchUpAll = catchUpAggregates({
    database: notifier,
    handler: projection.handler,
    type: 'subscriber',
    logger: pino({ level: 'silent' }),
  })
  const [unchanged, handled, left] = [aggregate(), aggregate(), aggregate()]
  projection.failing.add('left')
  await commitEvent(core, joined, 'handled', handled)
  await commitEvent(core, joined, 'left', left)
  await commitEvent(core, joined, 'another subscriber')
  t.same([...(await catchUpAll([unchanged.id, handled.id, left.id]))], [left.id])
  t.same(projection.seen, ['handled'])
  t.same([...(await catchUpAll([]))], [])
})
