/** Requests of the editor of postmortems. */
import t from 'tap'
import { postmortemFieldsOf, toPostmortemBody } from './postmortem-fields.ts'

t.test('empty sections and lines are absent, and events are in the order of time', async (t) => {
  const item = { title: 'Add a limit', owner: '', dueAt: null, done: false }
  const body = toPostmortemBody({
    ...postmortemFieldsOf(null),
    summary: 'The disk was full.',
    timeline: [
      { at: '2026-08-01T11:00:00.000Z', text: 'Fixed' },
      { at: '2026-08-01T09:00:00.000Z', text: ' ' },
      { at: '2026-08-01T10:00:00.000Z', text: 'First alert' },
    ],
    actionItems: [item, { ...item, title: '' }],
  })
  t.same(body, {
    summary: 'The disk was full.',
    rootCause: null,
    impact: null,
    resolution: null,
    timeline: [
      { at: '2026-08-01T10:00:00.000Z', text: 'First alert' },
      { at: '2026-08-01T11:00:00.000Z', text: 'Fixed' },
    ],
    actionItems: [{ title: 'Add a limit', owner: null, dueAt: null, done: false }],
  })
})
