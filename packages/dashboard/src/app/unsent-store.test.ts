/** Unsent input: restored by another store, apart per owner, and removed when it is old. */
import t from 'tap'
import { installStorage } from './storage.fixture.ts'
import { createUnsentStore, removeOldInput } from './unsent-store.ts'

const DAY_MS = 86_400_000
const owner = { organizationId: 'o', userId: 'u' }

t.test('another store of the owner reads what one has written', async (t) => {
  installStorage(new Map())
  const store = createUnsentStore<{ text: string }>(owner, 'form')
  t.equal(store.read(), null)
  store.write({ text: 'API down' })
  const other = createUnsentStore(owner, 'form')
  t.same(other.read(), { text: 'API down' })
  t.equal(other.read(), other.read(), 'the same object until the text changes')
  t.equal(createUnsentStore({ ...owner, userId: 'v' }, 'form').read(), null)
  t.equal(createUnsentStore(owner, 'another form').read(), null)
  store.write({ text: 'API slow' })
  t.same(other.read(), { text: 'API slow' })
  store.write(null)
  t.equal(createUnsentStore(owner, 'form').read(), null)
})

t.test('without storage the store retains the input', async (t) => {
  installStorage(null)
  const store = createUnsentStore<{ text: string }>(owner, 'form')
  store.write({ text: 'API down' })
  t.same(store.read(), { text: 'API down' })
})

t.test('old and unreadable input is removed', async (t) => {
  const entries = new Map([
    ['dashboard.unsent.o.u.broken', '{'],
    ['dashboard.locale', 'de'],
  ])
  installStorage(entries)
  createUnsentStore(owner, 'form').write({ text: 'API down' })
  removeOldInput()
  t.same([...entries.keys()], ['dashboard.locale', 'dashboard.unsent.o.u.form'])
  removeOldInput(Date.now() + 31 * DAY_MS)
  t.same([...entries.keys()], ['dashboard.locale'])
})
