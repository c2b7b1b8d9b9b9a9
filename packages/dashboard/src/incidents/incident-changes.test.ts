/** Changes of an incident while an update is written. */
import t from 'tap'
import { changesSince, snapshotOf } from './incident-changes.ts'

const update = (id: string, updatedAt = 'T1') => ({ id, updatedAt, message: id })
const incident = {
  version: 3,
  status: 'investigating',
  impact: 'minor',
  title: 'API errors',
  updates: [update('u2'), update('u1')],
} as never as Parameters<typeof snapshotOf>[0]

const changed = (fields: object) => ({ ...incident, version: 4, ...fields })

t.test('the same version has no changes', async (t) => {
  t.same(changesSince(snapshotOf(incident), incident), [])
})

t.test('a change of another part, such as the postmortem, is none of the updates', async (t) => {
  t.same(changesSince(snapshotOf(incident), changed({})), [])
})

t.test('posted, edited and deleted updates are listed with the present fields', async (t) => {
  const updates = [update('u4'), update('u3'), update('u2', 'T2')]
  const after = changed({ status: 'identified', impact: 'major', updates }) as typeof incident
  t.match(changesSince(snapshotOf(incident), after), [
    { kind: 'impact', impact: 'major' },
    { kind: 'status', status: 'identified' },
    { kind: 'deleted', id: 'u1' },
    { kind: 'edited', update: { id: 'u2' } },
    { kind: 'posted', update: { id: 'u3' } },
    { kind: 'posted', update: { id: 'u4' } },
  ])
})
