/** Unsent incidents: those of earlier versions are retained, and other shapes count as none. */
import t from 'tap'
import { installStorage } from '../app/storage.fixture.ts'
import { createUnsentStore } from '../app/unsent-store.ts'
import { newDraft } from './draft.ts'
import { createUnsentStorage, type Unsent } from './unsent-storage.ts'

const owner = { organizationId: 'o', userId: 'u' }
const FORMER_KEY = 'dashboard.composer.o.u'

const unsentOf = (line: string): Unsent => {
  const draft = newDraft(1, { line })
  const queued = { draft: newDraft(2, { line: 'queued' }), body: {}, attempts: 1, nextAttemptAt: 3 }
  return { drafts: [draft], queue: [queued] } as Unsent
}

t.test('incidents under the former name are taken over once', async (t) => {
  const former = unsentOf('API down')
  const entries = new Map([[FORMER_KEY, JSON.stringify(former)]])
  installStorage(entries)
  t.same(createUnsentStorage(owner).read(), former)
  t.same([...entries.keys()], ['dashboard.unsent.o.u.composer'])
  t.same(createUnsentStorage(owner).read(), former)

  entries.set(FORMER_KEY, JSON.stringify(unsentOf('older')))
  t.same(createUnsentStorage(owner).read(), former, 'it does not replace later input')
  t.notOk(entries.has(FORMER_KEY))
})

t.test(
  'entries of another shape are omitted, and missing fields have their defaults',
  async (t) => {
    for (const former of ['{', 'null', '"text"', '[]', '{"drafts":"x","queue":[{}, null, 1]}']) {
      installStorage(new Map([[FORMER_KEY, former]]))
      t.same(createUnsentStorage(owner).read(), { drafts: [], queue: [] }, former)
    }
    installStorage(new Map())
    createUnsentStore(owner, 'composer').write({ drafts: [null, { id: 'd', line: 'API down' }] })
    const { drafts } = createUnsentStorage(owner).read()
    t.match(drafts, [{ id: 'd', line: 'API down', message: '', notifySubscribers: true }])
  },
)
