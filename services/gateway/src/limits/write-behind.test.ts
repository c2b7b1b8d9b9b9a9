/** Write-behind charges: granted at once, stored soon, and never lost or counted twice. */
import { eventually } from '@status-page/testing'
import t from 'tap'
import { testGateway } from '../gateway.fixture.ts'
import { createCounting } from './counting.ts'

const { database } = await testGateway(t, { RATE_LIMIT_MULTIPLIER: '1' })

type Statement = typeof database.batchSql

const window = { windowMs: 60_000, capacity: 100 }

/** Counting whose statements run through `around`, by a clock that the test sets. */
const startCounting = (
  around: (run: () => Promise<unknown>) => Promise<unknown> = (run) => run(),
) => {
  const clock = { nowMs: Date.now() }
  const batchSql = (...query: Parameters<Statement>) => around(() => database.batchSql(...query))
  const counting = createCounting({
    database: { ...database, batchSql: batchSql as unknown as Statement },
    now: () => clock.nowMs,
  })
  return { counting, clock }
}

/** Responses of statements that wait until they are released. */
const heldResponses = () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let isHolding = false
  let held = 0
  return {
    hold() {
      isHolding = true
    },
    release() {
      isHolding = false
      release()
    },
    held: () => held,
    around: async (run: () => Promise<unknown>) => {
      const rows = await run()
      if (isHolding) {
        held++
        await released
      }
      return rows
    },
  }
}

const stored = async (key: string): Promise<number> => {
  const [row] = await database.batchSql<{ counts: number[] }[]>`
    SELECT counts FROM rate_windows WHERE key = ${key}`
  return (row?.counts ?? []).reduce((total, count) => total + count, 0)
}

t.test('a window that is far from full is charged before the shared one', async (t) => {
  const { counting } = startCounting()
  const { counting: other } = startCounting()
  const charge = () => counting.charge('far', window)

  await charge()
  const charges = Array.from({ length: 10 }, charge)
  const early = charges.filter((one) => !(one instanceof Promise))
  t.equal(early.length, 5, 'at most a twentieth of the capacity')
  t.ok((await Promise.all(charges)).every(({ isGranted }) => isGranted))
  t.equal(await stored('far'), 11, 'stored before the shared window decides')

  t.match(charge(), { isGranted: true, total: 12 })
  t.ok(await eventually(async () => (await stored('far')) === 12), 'stored by a timer')
  t.match(await other.charge('far', window), { isGranted: true, total: 13 })

  await Promise.all(Array.from({ length: 40 }, charge))
  const late = charge()
  t.type(late, Promise, 'half of the capacity is used')
  t.match(await late, { isGranted: true, total: 54 })
})

t.test('a copy older than a second does not decide', async (t) => {
  const { counting, clock } = startCounting()
  await counting.charge('old', window)
  clock.nowMs += 1_001
  const shared = counting.charge('old', window)
  t.type(shared, Promise)
  await shared
  t.match(counting.charge('old', window), { isGranted: true, total: 3 })
  await counting.sync()
})

t.test('charges whose statement is running count as not stored', async (t) => {
  const { around, hold, held, release } = heldResponses()
  const { counting } = startCounting(around)
  const charge = () => counting.charge('running', window)
  await charge()
  hold()
  for (let count = 0; count < 5; count++) t.notOk(charge() instanceof Promise)
  t.ok(await eventually(async () => held() === 1))
  const sixth = charge()
  release()
  t.type(sixth, Promise)
  t.match(await sixth, { isGranted: true, total: 7 })
})

t.test('a statement that succeeds after the timeout is counted once', async (t) => {
  const { around, hold, release } = heldResponses()
  const { counting, clock } = startCounting(around)
  await counting.charge('late', window)
  hold()
  t.match(counting.charge('late', window), { isGranted: true, total: 2 })
  // Waits for the statement until the timeout.
  await counting.sync()
  release()
  clock.nowMs += 1_001
  await counting.sync()
  t.equal(await stored('late'), 2)
  t.match(await counting.charge('late', window), { isGranted: true, total: 3 })
})

t.test('charges that could not be stored are stored after the outage', async (t) => {
  let isDown = false
  const { counting, clock } = startCounting((run) =>
    isDown ? Promise.reject(new Error('down')) : run(),
  )
  await counting.charge('outage', window)
  isDown = true
  for (let count = 0; count < 3; count++) counting.charge('outage', window)
  await counting.sync()
  isDown = false
  clock.nowMs += 1_001
  await counting.sync()
  t.equal(await stored('outage'), 4)
})

t.test('a shutdown stores the charges that are left', async (t) => {
  let completed = 0
  const { counting } = startCounting(async (run) => {
    const rows = await run()
    completed++
    return rows
  })
  await counting.charge('left', window)
  counting.charge('left', window)
  await counting.sync()
  t.equal(completed, 2)
  t.equal(await stored('left'), 2)
})

t.test('charges of other windows delay neither a decision nor the synchronization', async (t) => {
  const ample = { ...window, capacity: 100_000 }
  const tight = { ...window, capacity: 2 }
  const MAX_STATEMENTS = 100
  let statements = 0
  let isBusy = false
  const { counting } = startCounting((run) => {
    statements++
    if (isBusy && statements < MAX_STATEMENTS) counting.charge('busy', ample)
    return run()
  })
  await counting.charge('busy', ample)
  await counting.charge('tight', tight)
  isBusy = true
  counting.charge('busy', ample)
  const beforeCharge = statements
  const decided = counting.charge('tight', tight)
  t.type(decided, Promise, 'half of the capacity is used')
  t.match(await decided, { isGranted: true, total: 2 })
  t.ok(statements - beforeCharge <= 2, `decided after ${statements - beforeCharge} statements`)

  const beforeSync = statements
  await counting.sync()
  t.ok(statements - beforeSync <= 3, `synchronized after ${statements - beforeSync} statements`)
  isBusy = false
  await counting.sync()
})
