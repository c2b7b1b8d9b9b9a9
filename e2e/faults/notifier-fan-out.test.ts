/**
 * kill -9 of the notifier during a chunked fan-out: it continues after the last chunk, with one row
 * per destination.
 */
import { eventually } from '@status-page/testing'
import t from 'tap'
import { createScenario } from '../kit/tenant.ts'
import { expireLeases } from '../kit/time.ts'
import { restartWithFault, reviveAfterFault, startWorld } from '../kit/world.ts'

const MANY = 21_000
const PART = 5_000
/** JetStream redelivers a message that was not acknowledged after `ackWaitMs`. */
const TAKEN_AGAIN_WITHIN_MS = 90_000

/** The reaper runs every 5 s. */
const REAPED_WITHIN_MS = 30_000

const world = await startWorld(t, { hasShortIntervals: true })
const { admin } = world
const scenario = await createScenario(t, world, { name: 'many-readers', mail: false })
const organizationId = scenario.tenant.identity.organization.id

/**
 * Adds subscribers whose mails are delayed by the limits, so that the test counts rows instead of
 * mails.
 */
const addReaders = async () => {
  await admin`
    INSERT INTO notifier.destinations
      (id, organization_id, subscriber_id, type, address, state, version, blocked_until)
    SELECT notifier.new_id(), ${organizationId}, gen_random_uuid(), 'email', n || '@example.com',
      'active', 1, now() + interval '1 day' FROM generate_series(1, ${MANY}) n`
  await admin`
    INSERT INTO notifier.audiences (organization_id, destination_id, events, component_ids)
    SELECT organization_id, id, '{incident.created}', '{}' FROM notifier.destinations
    WHERE organization_id = ${organizationId} AND address LIKE '%@example.com'
    ON CONFLICT DO NOTHING`
}

const counted = async () => {
  const [row] = await admin<{ rows: number; destinations: number; finished: boolean }[]>`
    SELECT count(*)::int AS rows, count(DISTINCT destination_id)::int AS destinations,
      EXISTS (SELECT FROM notifier.fanouts f JOIN notifier.inbox USING (event_id)
        WHERE f.organization_id = ${organizationId} AND f.kind = 'incident.created') AS finished
    FROM notifier.deliveries
    WHERE organization_id = ${organizationId} AND kind = 'incident.created'`
  return row ?? { rows: 0, destinations: 0, finished: false }
}

t.test(
  'killed after the second chunk: the fan-out ends with one row per destination',
  async (t) => {
    await addReaders()
    await restartWithFault(world, 'notifier', 'fanout.between_chunks:2')
    await scenario.open('Chunked fan-out')
    await reviveAfterFault(world, 'notifier')
    await eventually(async () => (await counted()).finished, { timeoutMs: TAKEN_AGAIN_WITHIN_MS })
    t.match(await counted(), { rows: MANY + 1, destinations: MANY + 1 })
    const [fanout] = await admin<{ parts: number }[]>`
      SELECT count(*)::int AS parts FROM notifier.deliveries
      WHERE organization_id = ${organizationId} AND kind = 'incident.created'
        AND destination_id <= (SELECT after_destination FROM notifier.fanouts
          WHERE organization_id = ${organizationId} AND kind = 'incident.created')`
    t.equal((fanout?.parts ?? 0) % PART, 0, 'complete chunks before the last')
    await expireLeases(world)
    await t.resolves(
      scenario.allDelivered(REAPED_WITHIN_MS),
      'including the recipients whose messages were in progress at the kill',
    )
  },
)
