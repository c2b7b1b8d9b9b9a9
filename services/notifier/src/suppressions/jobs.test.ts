/** Managers of destinations get one mail per hour about suppressed ones, each listed once a day. */
import { draftEvent, memberAdded, memberRemoved, memberUpdated } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { httpTarget, testDatabase } from '@status-page/testing'
import t, { type Test } from 'tap'
import { created, hook, incident, opened, subscriber } from '../deliveries/stage.fixture.ts'
import { channelStage, slack } from '../notification-channels/channels.fixture.ts'

// Holds the shared database server for the whole file; the last release stops it.
await testDatabase(t, { services: [] })

const member = (role: string, email: string, id = newId(), version = 1) => {
  const data = { member: { userId: id, name: 'Ana', email, role } }
  return { id, version, data }
}

const setScene = async (t: Test) => {
  const staged = await channelStage(t)
  const [owner, manager, editor, former] = [
    member('OWNER', 'owner@example.com'),
    member('SUBSCRIBER_MANAGER', 'manager@example.com'),
    member('EDITOR', 'editor@example.com'),
    member('OWNER', 'former@example.com'),
  ]
  await staged.publishAsGateway(
    ...[owner, manager, editor, former].map((one) => draftEvent(memberAdded, one, one.data)),
    draftEvent(memberRemoved, { id: former.id, version: 3 }, former.data),
    // Older than the removal, so it must not restore the member.
    draftEvent(memberUpdated, { id: former.id, version: 2 }, former.data),
  )
  await staged.drain()
  const notifySuppressed = async () => {
    await staged.notifySuppressions()
    await staged.deliver()
  }
  const sentMails = () =>
    staged.smtp.mails.filter(({ headers }) => / have stopped/.test(headers.subject ?? ''))
  return { ...staged, notifySuppressed, sentMails }
}

t.test('owners and subscriber managers are notified once of a suppressed endpoint', async (t) => {
  const scene = await setScene(t)
  const target = await httpTarget(t, { status: 410 })
  const one = hook(target)
  await scene.publish(created(one), opened(incident()))
  await scene.deliver()
  for (let turn = 0; turn < 2; turn++) await scene.notifySuppressed()
  t.same(
    scene
      .sentMails()
      .map(({ to }) => to[0])
      .sort(),
    ['manager@example.com', 'owner@example.com'],
  )
  t.match(scene.sentMails()[0]?.raw, /endpoint no longer exists/)
  t.notMatch(scene.sentMails()[0]?.raw, '/hook', 'the address is not disclosed')
  t.match(
    scene.sentMails()[0]?.headers.subject,
    'Notifications to a destination have stopped - Status',
  )
})

t.test(
  'a suppressed channel is listed by name, and suppressions within the hour share one mail',
  async (t) => {
    const scene = await setScene(t)
    const gone = await httpTarget(t, { status: 404, body: 'no_service' })
    const { body } = await scene.create(slack(`${gone.url}/services/T0/B0/secret`))
    await scene.publish(opened(incident()))
    await scene.deliver()
    t.equal((await scene.read(body.id)).body.status, 'disabled')
    await scene.notifySuppressed()
    t.equal(scene.sentMails().length, 2)
    t.match(scene.sentMails()[0]?.raw, /Channel Ops chat \(Slack\)/)

    const dead = await httpTarget(t, { status: 410 })
    await scene.publish(created(hook(dead)), created(hook(dead)), opened(incident()))
    await scene.deliver()
    await scene.notifySuppressed()
    t.equal(scene.sentMails().length, 2, 'gathered')
    await scene.admin`UPDATE notifier.destination_suppressions
      SET notified_at = notified_at - interval '61 minutes'`
    await scene.notifySuppressed()
    t.equal(scene.sentMails().length, 4)
    t.match(scene.sentMails()[2]?.headers.subject, 'Notifications to 2 destinations have stopped')
  },
)

t.test('an unsubscribe by the subscriber is not reported', async (t) => {
  const scene = await setScene(t)
  await scene.publish(
    created(subscriber({ type: 'email', email: 'a@example.com', status: 'unsubscribed' })),
  )
  await scene.deliver()
  await scene.notifySuppressed()
  t.same(scene.sentMails(), [])
  t.same(await scene.admin`SELECT * FROM notifier.destination_suppressions`, [])
})
