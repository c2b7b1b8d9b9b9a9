/** Log levels of failed transports: the operator acts on its own, an organization on its channels. */
import t from 'tap'
import { channelStage } from '../../notification-channels/channels.fixture.ts'
import { created, generous, incident, opened, stage, subscriber } from '../stage.fixture.ts'
import { noopMeter } from './meter.fixture.ts'

const closing = { mail: () => '421 4.3.2 Shutting down' }
const reader = subscriber({ type: 'email', email: 'reader@example.com' })

t.test('a failed mail server of the operator is logged as an error', async (t) => {
  const { logger, publish, deliver } = await stage(t, generous, closing)
  const [errors, failures] = [t.capture(logger, 'error'), t.capture(noopMeter, 'channelFailed')]
  await publish(created(reader), opened(incident()))
  await deliver()
  t.match(
    errors().map(({ args }) => args),
    [[{ alarm: 'channel_blocked', transport: { name: 'smtp' } }, /wait for their transport/]],
  )
  t.same(failures(), [])
})

t.test('a failed mail server of a channel is logged at info and counted', async (t) => {
  const { logger, publish, deliver, create, smtp } = await channelStage(t, generous, closing)
  const [errors, failures] = [t.capture(logger, 'error'), t.capture(noopMeter, 'channelFailed')]
  const infos = t.capture(logger, 'info')
  const config = {
    smtpHost: '127.0.0.1',
    smtpPort: Number(new URL(smtp.url).port),
    fromAddress: 'status@acme.example',
    recipients: ['team@example.com'],
  }
  const { body: channel } = await create({ name: 'Mail', type: 'email', config })
  await publish(opened(incident()))
  await deliver()
  const transport = { name: `channel:${channel.id}` }
  t.match(
    infos().map(({ args }) => args),
    [[{ reason: 'channel_blocked', transport }, /wait for their transport/]],
  )
  t.same(
    failures().map(({ args }) => args),
    [['channel_blocked']],
  )
  t.same(errors(), [])
})
