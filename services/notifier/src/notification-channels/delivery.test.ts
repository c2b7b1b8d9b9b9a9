/** What reaches channels: events of all kinds, by their filters, in the words of each. */

import { httpTarget } from '@status-page/testing'
import t from 'tap'
import { incident, opened } from '../deliveries/stage.fixture.ts'
import { channelStage, slack } from './channels.fixture.ts'

t.test('an incident reaches a chat, and the log shows it', async (t) => {
  const { create, tell, deliver, rows, read } = await channelStage(t)
  const target = await httpTarget(t, { body: 'ok' })
  const { status, body: channel } = await create(slack(`${target.url}/services/T1/B1/secret`))
  t.equal(status, 201, JSON.stringify(channel))
  t.match(channel, { status: 'active', config: { webhookUrl: '***REDACTED***', channel: null } })
  await tell(opened(incident({ title: 'API <is> down' })))
  await deliver()
  t.equal(target.requests.length, 1)
  const sent = JSON.parse(target.requests[0]?.body ?? '')
  t.match(sent.text, /Investigating: API &lt;is&gt; down/)
  t.match(await rows(), [{ state: 'delivered' }])
  t.match((await read(channel.id)).body, { lastDeliveryStatus: 'delivered' })
})
