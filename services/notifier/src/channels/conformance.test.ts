/** Guarantees of every channel kind, whichever kinds are registered. */
import { channelConfigs, channelTypes, selectableChannelEvents } from '@status-page/contracts'
import t from 'tap'
import { LEASE_SECONDS } from '../deliveries/claim/leases.ts'
import { defaultLanguage } from '../messages/reader-language.ts'
import { sampleEvent } from '../messages/sample.ts'
import { channels } from './index.ts'
import { renderContent } from './render.ts'

const baseUrl = 'https://status.example.com'
const now = new Date('2026-01-02T03:04:05.000Z')
/** Maximum length of kinds and workers in the database. */
const MAX_NAME = 20

for (const type of channelTypes) {
  const channel = channels[type]

  t.test(`${type}: secrets and targets are fields of the settings`, async (t) => {
    const fields = Object.keys(channelConfigs[type].properties)
    const named = [
      ...channel.secrets.map((path) => path.replace('.*', '')),
      ...(channel.sentSecrets?.fields ?? []),
      ...(channel.sentSecrets === null ? [] : [channel.sentSecrets.target]),
    ]
    for (const field of named) t.ok(fields.includes(field), field)
  })

  t.test(`${type}: each event has a message`, async (t) => {
    for (const kind of selectableChannelEvents) {
      const { mail, text, body } = renderContent(type, {
        event: sampleEvent(kind, now, baseUrl),
        context: {
          baseUrl,
          senderName: 'Acme',
          appearance: null,
          language: defaultLanguage,
          coveredUpdates: 0,
          sequence: 1,
          reader: { kind: 'channel', channelName: 'Ops' },
          messageTemplate: null,
        },
        config: null,
      })
      t.ok((mail?.text ?? text ?? body ?? '').length > 0, kind)
    }
  })

  t.test(`${type}: a label does not disclose the address`, async (t) => {
    for (const address of ['reader@example.com', '+4930901820', 'https://example.com/secret']) {
      t.notMatch(channel.labelOf(address), address)
    }
  })

  t.test(
    `${type}: its worker is the only one of that name and waits less than a lease`,
    async (t) => {
      const { worker } = channel
      const sameName = Object.values(channels).filter((one) => one.worker.name === worker.name)
      t.ok(sameName.every((one) => one.worker === worker))
      t.ok(worker.maxWaitMs < LEASE_SECONDS * 1000)
      t.ok(type.length <= MAX_NAME && worker.name.length <= MAX_NAME)
    },
  )
}
