/** A replay sends exhausted and cancelled deliveries again, with the same bytes. */
import { deliveryOperations } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { createRoutes, serve } from '@status-page/service'
import { httpTarget, inject, testCaller, testKeys } from '@status-page/testing'
import t, { type Test } from 'tap'
import { channelStage, slack } from '../notification-channels/channels.fixture.ts'
import { deliveryRoutes } from './routes.ts'
import { created, generous, hook, incident, opened, stage } from './stage.fixture.ts'

/** One exhausted webhook delivery, and callers that may and may not replay it. */
const givenUp = async (t: Test) => {
  const scene = await stage(t)
  const target = await httpTarget(t, { status: 422 })
  const subscriber = hook(target)
  await scene.publish(created(subscriber), opened(incident()))
  await scene.deliver()
  await scene.admin`UPDATE notifier.deliveries SET state = 'exhausted', reason = 'attempts',
    finished_at = now(), expires_at = now() - interval '1 minute'`
  const app = serve({
    service: 'notifier',
    routes: createRoutes(deliveryOperations, deliveryRoutes(generous)),
    database: scene.notifier,
    verifier: testKeys().verifier('notifier'),
  })
  t.teardown(() => app.close())
  const { organizationId } = scene
  const caller = testCaller({
    organizationId,
    permissions: ['notifications:read', 'notifications:write'],
  })
  const [row] = await scene.rows()
  const { id } = row as unknown as { id: string }
  const audits = () =>
    scene.admin<{ entry: { action: string; entityId: string } }[]>`
      SELECT payload AS entry FROM notifier.outbox WHERE kind = 'audit.recorded'`
  return { ...scene, app, caller, target, subscriber, id, audits }
}

t.test('an exhausted delivery is replayed with the same id and bytes', async (t) => {
  const { app, caller, id, target, send, audits } = await givenUp(t)
  const answer = await inject(app, deliveryOperations.replay, { caller, params: { id } })
  t.equal(answer.status, 202)
  t.match(answer.body, { id, state: 'pending', reason: null, finishedAt: null, attemptCount: 1 })
  t.type(answer.body.estimatedWaitSeconds, 'number')
  target.respond({ status: 200 })
  await send()
  const [first, second] = target.requests
  t.equal(second?.headers['webhook-id'], first?.headers['webhook-id'])
  t.equal(second?.headers['x-delivery-attempt'], '2')
  t.equal(second?.body.toString(), first?.body.toString())
  t.match(await audits(), [{ entry: { action: 'delivery.replay', entityId: id } }])
})

t.test('only exhausted and cancelled deliveries can be replayed', async (t) => {
  const { app, caller, id, admin } = await givenUp(t)
  for (const [state, status] of [
    ['pending', 409],
    ['sending', 409],
    ['delivered', 409],
    ['superseded', 409],
    ['suppressed', 409],
    ['exhausted', 202],
    ['cancelled', 202],
  ] as const) {
    await admin`UPDATE notifier.deliveries SET state = ${state}`
    const answer = await inject(app, deliveryOperations.replay, { caller, params: { id } })
    t.equal(answer.status, status, state)
    if (status === 409) t.equal(answer.body.error.details.reason, 'invalid_state')
  }
})

t.test('a replay sends nothing to an address that unsubscribed in the meantime', async (t) => {
  const { app, caller, id, admin, send, rows, target } = await givenUp(t)
  await admin`UPDATE notifier.destinations SET state = 'unsubscribed'`
  await inject(app, deliveryOperations.replay, { caller, params: { id } })
  await send()
  t.match(await rows(), [{ state: 'cancelled', reason: 'unsubscribed' }])
  t.equal(target.requests.length, 1)
})

t.test('account mail that has expired stays expired', async (t) => {
  const { app, caller, id, admin } = await givenUp(t)
  await admin`UPDATE notifier.destinations SET kind = 'user', subscriber_id = NULL`
  const one = await inject(app, deliveryOperations.replay, { caller, params: { id } })
  t.equal(one.status, 409)
  const body = { since: '2000-01-01T00:00:00.000Z' }
  const all = await inject(app, deliveryOperations.replayAll, { caller, body })
  t.same(all.body, { replayed: 0 })
})

t.test('a test delivery is not replayed', async (t) => {
  const { app, caller, create, test, rows } = await channelStage(t)
  const target = await httpTarget(t)
  const { body: channel } = await create(slack(`${target.url}/T/B/x`))
  await target.close()
  const { deliveryId: id } = (await test(channel.id)).body
  const one = await inject(app, deliveryOperations.replay, { caller, params: { id } })
  t.match(one, { status: 409, body: { error: { details: { reason: 'invalid_state' } } } })
  const body = { since: '2000-01-01T00:00:00.000Z' }
  const all = await inject(app, deliveryOperations.replayAll, { caller, body })
  t.same(all.body, { replayed: 0 })
  t.match(await rows(), [{ state: 'exhausted', reason: 'attempts' }])
})

t.test('a bulk replay selects exhausted deliveries by time, channel and subscriber', async (t) => {
  const { app, caller, subscriber, admin, audits } = await givenUp(t)
  const since = '2000-01-01T00:00:00.000Z'
  const replay = async (body: { since: string; subscriberId?: string; channelId?: string }) => {
    await admin`UPDATE notifier.deliveries SET state = 'exhausted'`
    return inject(app, deliveryOperations.replayAll, { caller, body })
  }
  t.match(await replay({ since }), { status: 202, body: { replayed: 1 } })
  t.match(await replay({ since: '2100-01-01T00:00:00.000Z' }), { body: { replayed: 0 } })
  t.match(await replay({ since, subscriberId: subscriber.id }), { body: { replayed: 1 } })
  t.equal((await audits()).length, 2, 'one entry per replay')
  for (const field of ['subscriberId', 'channelId'] as const) {
    const answer = await replay({ since, [field]: newId() })
    t.equal(answer.status, 400)
    t.equal(answer.body.error.details.field, field)
  }
})

t.test('another organization sends nothing again', async (t) => {
  const { app, id, rows } = await givenUp(t)
  const caller = testCaller({ permissions: ['notifications:write'] })
  const one = await inject(app, deliveryOperations.replay, { caller, params: { id } })
  t.equal(one.status, 404)
  const body = { since: '2000-01-01T00:00:00.000Z' }
  const all = await inject(app, deliveryOperations.replayAll, { caller, body })
  t.same(all.body, { replayed: 0 })
  t.match(await rows(), [{ state: 'exhausted' }])
})
