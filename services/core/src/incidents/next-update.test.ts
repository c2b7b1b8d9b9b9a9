/** Time of the next update, as a table. */
import t from 'tap'
import type { IncidentRow } from '../tables.ts'
import {
  applyNextUpdateChange,
  isUpdateOverdue,
  markOverdue,
  type NextUpdateChange,
} from './next-update.ts'

const now = new Date('2026-08-01T10:00:00.000Z')
const soon = new Date('2026-08-01T11:00:00.000Z')
const later = new Date('2026-08-01T12:00:00.000Z')
const past = new Date('2026-08-01T09:00:00.000Z')

const none = { nextUpdateAt: null, overdueNotified: false }
const standing = { nextUpdateAt: soon, overdueNotified: false }
const missed = { nextUpdateAt: past, overdueNotified: true }

const promising = (more: Partial<NextUpdateChange>): NextUpdateChange => ({
  status: 'investigating',
  isUpdateByUser: false,
  ...more,
})

const cases: [
  name: string,
  before: typeof none | typeof standing,
  Partial<NextUpdateChange>,
  object,
][] = [
  ['a change that does not speak of it leaves it', standing, {}, standing],
  ['an update keeps it', standing, { isUpdateByUser: true }, none],
  [
    'an update may give another',
    standing,
    { isUpdateByUser: true, nextUpdateAt: later },
    { nextUpdateAt: later },
  ],
  ['a resolution ends it', standing, { status: 'resolved' }, none],
  ['null takes it back', standing, { nextUpdateAt: null }, none],
  ['a missed one stays missed', missed, {}, missed],
  ['a missed one may be sent back as it is', missed, { nextUpdateAt: past }, missed],
  ['a new time can be missed again', missed, { nextUpdateAt: soon }, standing],
]

for (const [name, before, more, after] of cases) {
  t.test(name, async (t) => t.match(applyNextUpdateChange(before, promising(more), now), after))
}

t.test(
  'a time in the past, or an update of a resolved incident, cannot be announced',
  async (t) => {
    const refused: Partial<NextUpdateChange>[] = [
      { nextUpdateAt: past },
      { nextUpdateAt: now },
      { nextUpdateAt: soon, status: 'resolved' },
      { nextUpdateAt: soon, status: 'resolved', isUpdateByUser: true },
    ]
    for (const more of refused) {
      t.throws(() => applyNextUpdateChange(none, promising(more), now), {
        message: /nextUpdateAt|resolved/,
      })
    }
    t.throws(() =>
      applyNextUpdateChange(missed, promising({ nextUpdateAt: past, isUpdateByUser: true }), now),
    )
  },
)

t.test('an update is overdue at its time, and reported once', async (t) => {
  const incident = { ...standing, version: 3, updatedAt: past } as IncidentRow
  t.notOk(isUpdateOverdue(incident, now))
  t.equal(markOverdue(incident, now), null)
  t.ok(isUpdateOverdue(incident, soon))
  const emitted = markOverdue(incident, soon)
  t.match(emitted, { overdueNotified: true, version: 4, updatedAt: past })
  t.equal(markOverdue(emitted as IncidentRow, later), null)
})
