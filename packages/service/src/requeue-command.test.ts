/** Command `requeue`: it lists quarantined events and handles one of them once. */
import { eventHandler } from '@status-page/bus'
import { canarySent } from '@status-page/contracts'
import { testDatabase } from '@status-page/testing'
import t from 'tap'
import { runRequeueCommand } from './requeue-command.ts'

const organizationId = '0192f000-0000-7000-8000-000000000001'
const eventId = '0192f000-0000-7000-8000-000000000002'
const consumer = 'core-notices'

const raw = JSON.stringify({
  id: eventId,
  kind: canarySent.kind,
  organizationId,
  producer: 'core',
  aggregate: { type: 'canary', id: eventId, version: 1 },
  occurredAt: '2026-01-01T00:00:00.000Z',
  data: { service: 'core', sentAt: '2026-01-01T00:00:00.000Z' },
})

t.test('a quarantined event is listed, handled once and then unknown', async (t) => {
  const databases = await testDatabase(t, { services: ['core'], folders: {} })
  const database = await databases.database('core')
  const handled: string[] = []
  let failure: Error | null = new Error('still broken')
  const handler = eventHandler({
    consumer,
    on: [canarySent],
    async handle(_scope, envelope) {
      if (failure !== null) throw failure
      handled.push(envelope.id)
    },
  })
  const run = async (...parameters: string[]) => {
    const lines: string[] = []
    const print = (line: string) => void lines.push(line)
    const code = await runRequeueCommand({ database, eventHandlers: [handler], parameters, print })
    return { code, lines }
  }

  t.same(await run(), { code: 0, lines: ['No event is quarantined.'] })
  const subject = `events.${canarySent.kind}.${organizationId}`
  await database.batchSql`
    INSERT INTO dead_event (consumer, event_id, subject, raw, error, tries)
    VALUES (${consumer}, ${eventId}, ${subject}, ${Buffer.from(raw)}, ${'it broke\n  at line 1'}, 6)`
  t.same(await run(), { code: 0, lines: [`${consumer} ${eventId} ${subject} it broke`] })

  t.same(await run(consumer), { code: 1, lines: ['Usage: requeue [<consumer> <event id>]'] })
  const unknown = { code: 1, lines: [`${consumer} has no quarantined event x.`] }
  t.same(await run(consumer, 'x'), unknown)
  t.same(await run(consumer, eventId), {
    code: 1,
    lines: ['The event was not handled: still broken'],
  })
  t.same(handled, [])

  failure = null
  t.same(await run(consumer, eventId), {
    code: 0,
    lines: [`The event ${eventId} was handled by ${consumer}.`],
  })
  t.same(handled, [eventId])
  t.equal((await run(consumer, eventId)).code, 1, 'once')
  t.same((await run()).lines, ['No event is quarantined.'])
})
