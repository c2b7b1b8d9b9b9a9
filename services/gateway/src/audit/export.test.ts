/** Export of the audit log: one page in memory, and no cell that a spreadsheet would run. */
import type { AuditLog } from '@status-page/contracts'
import t from 'tap'
import { exportEntries, type ReadEntryPage } from './export.ts'

const entry = (entityName: string): AuditLog => ({
  id: 'x1',
  organizationId: 'z1',
  action: 'a',
  entityType: 'e',
  entityId: 'i',
  entityName,
  actorType: 'user',
  userId: null,
  apiKeyId: null,
  changes: {},
  ipAddress: null,
  userAgent: null,
  requestId: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
})

t.test('a cell that begins like a formula gets a leading quote', async (t) => {
  const cases: [string, string][] = [
    ['=1', "'=1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@a', "'@a"],
    ['\ta', "'\ta"],
    ['\ra', `"'\ra"`],
    ['\uff1d1', "'\uff1d1"],
    ['a=1', 'a=1'],
    ['a,b', '"a,b"'],
  ]
  for (const [name, cell] of cases) {
    const { body } = exportEntries('csv', async () => ({ entries: [entry(name)], last: null }))
    const text = (await body.toArray()).join('')
    t.ok(text.includes(`,${cell},user,`), JSON.stringify(name))
  }
})

t.test('a page is read when the previous one has been consumed', async (t) => {
  let read = 0
  const endless: ReadEntryPage = async () => {
    read++
    return { entries: [entry('a')], last: { occurredAt: 'now', id: 'x1' } }
  }
  const { body } = exportEntries('ndjson', endless)
  const reader = body[Symbol.asyncIterator]()
  for (let taken = 0; taken < 5; taken++) await reader.next()
  t.ok(read <= 7, `${read} pages for five taken`)
  body.destroy()
})

t.test('a page that cannot be read ends the stream with an error', async (t) => {
  const { body } = exportEntries('csv', async () => {
    throw new Error('away')
  })
  await t.rejects(body.toArray(), { message: 'away' })
})
