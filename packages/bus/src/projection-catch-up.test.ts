/** Before acting on a copy: what is known elsewhere about one aggregate is taken first. */
import { pino } from 'pino'
import t from 'tap'
import { aggregate, joined, moved, state, twoServices, watched } from './bus.fixture.ts'
import { catchUpOrganization, catchUpProjection, unknownAmong } from './projection-catch-up.ts'

const keeping = async (t: Parameters<typeof twoServices>[0]) => {
  const services = await twoServices(t)
  const keeper = watched('notifier-audiences', [joined, moved])
  const isUpToDate = catchUpProjection({
    database: services.notifier,
    reaction: keeper.reaction,
    type: 'subscriber',
    logger: pino({ level: 'silent' }),
  })
  return { ...services, keeper, isUpToDate }
}

t.test('what the keeper lacks about the aggregate is taken once, and nothing else', async (t) => {
  const { core, keeper, isUpToDate } = await keeping(t)
  const about = aggregate()
  await state(core, joined, 'first', about)
  await state(core, joined, 'second', aggregate(2, about.id))
  await state(core, joined, 'another subscriber')
  t.equal(await isUpToDate(about.id), true)
  t.equal(await isUpToDate(about.id), true)
  t.same(keeper.seen, ['first', 'second'])
})

t.test('while an event fails nobody knows, and it is not tried at every look', async (t) => {
  const { core, notifier, keeper, isUpToDate } = await keeping(t)
  const about = aggregate()
  keeper.failing.add('left')
  await state(core, joined, 'left', about)
  for (let look = 0; look < 10; look++) t.equal(await isUpToDate(about.id), false)
  t.match(await notifier.batchSql`SELECT tries FROM dead_event`, [{ tries: 1 }])
})

t.test('of a whole organization all is taken, of another nothing', async (t) => {
  const { core, notifier } = await twoServices(t)
  const keeper = watched('notifier-audiences', [joined, moved])
  const isUpToDate = catchUpOrganization({
    database: notifier,
    reaction: keeper.reaction,
    type: 'subscriber',
    logger: pino({ level: 'silent' }),
  })
  await state(core, joined, 'first')
  await state(core, joined, 'second')
  const [row] = await core.batchSql<{ organizationId: string }[]>`
    SELECT organization_id AS "organizationId" FROM outbox LIMIT 1`
  t.equal(await isUpToDate('00000000-0000-0000-0000-000000000001'), true)
  t.same(keeper.seen, [])
  t.equal(await isUpToDate(row?.organizationId ?? ''), true)
  t.same(keeper.seen, ['first', 'second'])
})

t.test('of many, those about which an event fails are unknown, and only those', async (t) => {
  const { core, notifier, keeper } = await keeping(t)
  const areUnknown = unknownAmong({
    database: notifier,
    reaction: keeper.reaction,
    type: 'subscriber',
    logger: pino({ level: 'silent' }),
  })
  const [silent, told, left] = [aggregate(), aggregate(), aggregate()]
  keeper.failing.add('left')
  await state(core, joined, 'told', told)
  await state(core, joined, 'left', left)
  await state(core, joined, 'another subscriber')
  t.same([...(await areUnknown([silent.id, told.id, left.id]))], [left.id])
  t.same(keeper.seen, ['told'])
  t.same([...(await areUnknown([]))], [])
})
