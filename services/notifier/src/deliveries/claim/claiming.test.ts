/**
 * A large backlog of one destination does not hide others: the first claim or the deep claim finds
 * them.
 */
import { newId } from '@status-page/postgres'
import { httpTarget } from '@status-page/testing'
import t, { type Test } from 'tap'
import { createRateLimitMemory } from '../limits/rate-limit-memory.ts'
import { created, hook, incident, opened, stage } from '../stage.fixture.ts'
import { createClaim } from './claiming.ts'

const MANY = 10_000
const ROOM = 512

/** One destination with a large backlog, one more in the same organization, and one in another. */
const backlog = async (t: Test) => {
  const scene = await stage(t)
  const { publish, publishIn, drain, admin, notifier, organizationId, logger } = scene
  const target = await httpTarget(t)
  await publish(created(hook(target)), opened(incident()))
  await drain()
  const [first] = await admin`SELECT destination_id AS overflowing FROM notifier.deliveries`
  // Not `(jsonb_populate_record(…)).*`, which Postgres evaluates once per column.
  await admin`INSERT INTO notifier.deliveries
    SELECT copies.* FROM (
      SELECT d AS delivery, jsonb_build_object('id', gen_random_uuid(), 'event_id', gen_random_uuid(),
        'ordering_key', gen_random_uuid(), 'next_attempt_at', now() - interval '1 hour') AS changes
      FROM notifier.deliveries d, generate_series(2, ${MANY}) n
    ) backlog, jsonb_populate_record(backlog.delivery, backlog.changes) copies`
  const other = newId()
  await publish(created(hook(target)))
  await drain()
  await publishIn(other, created(hook(target)), opened(incident()))
  await publish(opened(incident()))
  await drain()
  await admin`ANALYZE notifier.deliveries`
  const rateLimitMemory = createRateLimitMemory()
  const claim = createClaim({ database: notifier, rateLimitMemory, logger }, 'webhook', newId())
  /** Claimed deliveries outside the backlog, per organization. */
  const found = async (claims: number) => {
    const all = []
    for (let turn = 0; turn < claims; turn++) all.push(...(await claim(ROOM)))
    const others = all.filter(({ destinationId }) => destinationId !== first?.overflowing)
    return {
      own: others.filter((one) => one.organizationId === organizationId).length,
      other: others.filter((one) => one.organizationId === other).length,
      backlog: all.length - others.length,
    }
  }
  return {
    admin,
    found,
    rateLimitMemory,
    organizationId,
    overflowing: first?.overflowing as string,
  }
}

t.test('deliveries behind a blocked destination are found', async (t) => {
  const { admin, found, overflowing } = await backlog(t)
  await admin`UPDATE notifier.destinations SET blocked_until = now() + interval '1 hour'
    WHERE id = ${overflowing}`
  t.same(await found(1), { own: 1, other: 1, backlog: 0 })
})

t.test('deliveries behind a destination with one in flight are found', async (t) => {
  const { found } = await backlog(t)
  t.same(await found(2), { own: 1, other: 1, backlog: 1 })
})

t.test('deliveries behind a rate-limited organization are found', async (t) => {
  const { found, rateLimitMemory, organizationId } = await backlog(t)
  rateLimitMemory.refused({ key: organizationId, freeMs: 60_000 })
  t.same(await found(2), { own: 0, other: 1, backlog: 0 })
})

t.test('claimed deliveries are sent although the deep claim fails', async (t) => {
  const { admin, found, overflowing, organizationId } = await backlog(t)
  await admin`UPDATE notifier.destinations SET blocked_until = now() + interval '1 hour'
    WHERE id = ${overflowing}`
  await admin.unsafe(`
    CREATE FUNCTION notifier.refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE 'refused'; END $$;
    CREATE TRIGGER refuse BEFORE UPDATE ON notifier.deliveries FOR EACH ROW
      WHEN (OLD.organization_id = '${organizationId}') EXECUTE FUNCTION notifier.refuse()`)
  t.same(await found(1), { own: 0, other: 1, backlog: 0 })
})
