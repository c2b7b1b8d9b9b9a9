import t from 'tap'
import { natsNames } from './nats-names.ts'

t.test('without a prefix the plain names are used', (t) => {
  const names = natsNames()
  t.same([names.eventStream, names.probeStream], ['EVENTS', 'PROBE'])
  t.equal(names.subject('events.incident.created.1'), 'events.incident.created.1')
  t.equal(names.plainSubject('events.incident.created.1'), 'events.incident.created.1')
  t.equal(names.user('config-sync'), 'config-sync')
  t.equal(names.inboxPrefix('core'), '_INBOX_core')
  t.equal(names.passwordVariable('config-sync'), 'NATS_PASSWORD_CONFIG_SYNC')
  t.end()
})

t.test(
  'a prefix begins every name of an installation, and is removed from what it receives',
  (t) => {
    const names = natsNames('north_')
    t.same([names.eventStream, names.probeStream], ['north_EVENTS', 'north_PROBE'])
    t.equal(names.subject('events.incident.created.1'), 'north_events.incident.created.1')
    t.equal(names.plainSubject('north_events.incident.created.1'), 'events.incident.created.1')
    t.equal(names.user('core'), 'north_core')
    t.equal(names.inboxPrefix('core'), '_INBOX_north_core')
    t.equal(names.passwordVariable('core'), 'NATS_PASSWORD_north_CORE')
    t.end()
  },
)

t.test('an ambiguous prefix is rejected, and the error names the setting', (t) => {
  natsNames('a'.repeat(32))
  const wrong = ['a'.repeat(33), 'A', '1', '_', 'a.b', 'a*', 'a>', 'a b', 'a-b', '$js', 'ä', 'a\n']
  for (const prefix of wrong) t.throws(() => natsNames(prefix), { message: /^NATS_PREFIX must be/ })
  t.end()
})
