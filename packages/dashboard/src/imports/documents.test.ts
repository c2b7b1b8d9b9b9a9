/** Files of Statuspage become one import. */
import t from 'tap'
import { DocumentFileError, documentsOf } from './documents.ts'

const file = (name: string, content: unknown) => ({
  name,
  text: async () => (typeof content === 'string' ? content : JSON.stringify(content)),
})

t.test('documents are merged, and a CSV file has the subscribers', async (t) => {
  const merged = await documentsOf([
    file('summary.json', {
      page: { id: 'p' },
      components: [{ id: 'c' }],
      incidents: [{ id: 'a' }],
    }),
    file('incidents.json', { page: { id: 'q' }, incidents: [{ id: 'b' }], other: [1] }),
    file('People.CSV', 'email\na@example.com\n'),
  ])
  t.same(merged, {
    page: { id: 'p' },
    components: [{ id: 'c' }],
    incidents: [{ id: 'a' }, { id: 'b' }],
    subscribers_csv: 'email\na@example.com\n',
  })
})

for (const content of ['', 'no', '[]', '"page"', 'null', '{}', '{"a":1}']) {
  t.test(`a file with ${content || 'nothing'} is refused by its name`, async (t) => {
    await t.rejects(documentsOf([file('x.json', content)]), new DocumentFileError('x.json'))
  })
}
