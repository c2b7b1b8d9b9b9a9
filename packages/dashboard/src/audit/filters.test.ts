/** Filters of the audit log in the address. */
import t from 'tap'
import { auditFiltersOf, toAuditQuery } from './filters.ts'

t.test('values that are not valid are ignored', async (t) => {
  const none = auditFiltersOf({ user: '../', from: '2026-99-99', page: 0, action: '' })
  t.same(toAuditQuery(none), {})
})

t.test('a day ends with its last moment', async (t) => {
  const query = toAuditQuery(auditFiltersOf({ from: '2026-08-01', to: '2026-08-01' }))
  t.equal(Date.parse(query.to ?? '') - Date.parse(query.from ?? ''), 86_400_000)
  t.match(toAuditQuery(auditFiltersOf({ action: 'member.update' })), { action: 'member.update' })
})
