/** Sections without entries, which the overview lists in one card. */
import t from 'tap'
import { clearSectionsOf } from './clear-sections.ts'

const none = { total: 0, items: [] }
const some = { total: 1, items: [] }
const clear = {
  maintenances: { active: none, upcoming: none },
  alerts: none,
  drafts: none,
  deliveries: { pending: 0, oldestPendingAt: null, exhausted: 0 },
  slas: { breached: none, atRisk: none },
} as never

t.test('a section is clear only if all of its lists are empty', async (t) => {
  t.same(clearSectionsOf(clear), [
    'maintenances',
    'alerts',
    'drafts',
    'deliveries',
    'serviceLevels',
  ])
  const waiting = {
    ...(clear as object),
    maintenances: { active: none, upcoming: some },
    deliveries: { pending: 0, oldestPendingAt: null, exhausted: 2 },
    slas: { breached: none, atRisk: some },
  } as never
  t.same(clearSectionsOf(waiting), ['alerts', 'drafts'])
})

t.test('a section without permission is not called clear', async (t) => {
  const hidden = { ...(clear as object), alerts: null, deliveries: null } as never
  t.same(clearSectionsOf(hidden), ['maintenances', 'drafts', 'serviceLevels'])
})
