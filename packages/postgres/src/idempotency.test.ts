import { AppError, systemActor } from '@status-page/contracts'
import { testDatabase } from '@status-page/testing'
import t from 'tap'
import { notesSchema } from './fixture/notes.ts'
import { newId, type StoredResponse, transact, withIdempotency } from './index.ts'

const created: StoredResponse = { status: 201, headers: { 'x-a': '1' }, body: '{"id":1}' }

const keyOf = (bodyHash = 'hash') => ({
  organizationId: newId(),
  callerId: 'key:1',
  route: 'POST /incidents',
  key: 'abc',
  bodyHash,
})

t.test('a repeat returns the stored response and runs nothing', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const key = keyOf()
  t.same(await withIdempotency(core, key, async () => created), { ...created, replayed: false })
  const again = await withIdempotency(core, key, () => t.fail('ran again') as never)
  t.same(again, { ...created, replayed: true })
})

t.test('another body under the same key is rejected', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const key = keyOf()
  await withIdempotency(core, key, async () => created)
  const other = withIdempotency(core, { ...key, bodyHash: 'other' }, async () => created)
  await t.rejects(other, { code: 'CONFLICT', details: { reason: 'idempotency_key_reused' } })
})

t.test('a repeat while the first runs is 409 with Retry-After', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const key = keyOf()
  await withIdempotency(core, key, async () => {
    await t.rejects(
      withIdempotency(core, key, async () => created),
      { code: 'CONFLICT', details: { reason: 'already_running' } },
    )
    return created
  })
})

t.test('callers, routes and organizations do not share keys', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const key = keyOf()
  await withIdempotency(core, key, async () => created)
  for (const other of [{ callerId: 'key:2' }, { route: 'POST /x' }, { organizationId: newId() }]) {
    const response = await withIdempotency(core, { ...key, ...other }, async () => created)
    t.equal(response.replayed, false)
  }
})

t.test('responses that depend on the moment are not stored', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  for (const status of [401, 403, 429, 500, 503]) {
    const key = keyOf()
    await withIdempotency(core, key, async () => ({ ...created, status }))
    t.equal((await withIdempotency(core, key, async () => created)).replayed, false, `${status}`)
  }
  for (const status of [400, 404, 409]) {
    const key = keyOf()
    await withIdempotency(core, key, async () => ({ ...created, status }))
    t.equal((await withIdempotency(core, key, async () => created)).status, status, `${status}`)
  }
})

t.test('a request that throws releases its key', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const key = keyOf()
  const failing = withIdempotency(core, key, async () => {
    throw new AppError('SERVICE_UNAVAILABLE', 'down')
  })
  await t.rejects(failing, { code: 'SERVICE_UNAVAILABLE' })
  t.equal((await withIdempotency(core, key, async () => created)).replayed, false)
})

t.test(
  'a request that took effect never runs again, even when its response was lost',
  async (t) => {
    const { database } = await testDatabase(t, notesSchema)
    const core = await database('core')
    const key = keyOf()
    const { organizationId } = key
    const repeat = () => withIdempotency(core, key, () => t.fail('ran again') as never)
    const dying = withIdempotency(core, key, async (alongside) => {
      const by = { organizationId, actor: systemActor, alongside }
      await transact(core, by, async () => ({ result: null }))
      throw new Error('died before the answer')
    })
    await t.rejects(dying, { message: 'died before the answer' })
    await t.rejects(repeat(), { code: 'CONFLICT', details: { reason: 'already_running' } })
    await core.batchSql`UPDATE idempotency SET locked_until = now()`
    await t.rejects(repeat(), { code: 'CONFLICT', details: { reason: 'duplicate' } })
  },
)

t.test('a change that was rolled back leaves its key free', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const key = keyOf()
  const { organizationId } = key
  const failing = withIdempotency(core, key, async (alongside) => {
    const by = { organizationId, actor: systemActor, alongside }
    await transact(core, by, () => Promise.reject(new Error('no')))
    return created
  })
  await t.rejects(failing, { message: 'no' })
  t.equal((await withIdempotency(core, key, async () => created)).replayed, false)
})

t.test('a request whose key a repeat has claimed changes nothing', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const key = keyOf()
  const { organizationId } = key
  const slow = withIdempotency(core, key, async (alongside) => {
    await core.batchSql`UPDATE idempotency SET locked_until = now()`
    await withIdempotency(core, key, async () => created)
    const by = { organizationId, actor: systemActor, alongside }
    await transact(core, by, async () => ({ result: null }))
    return t.fail('changed') as never
  })
  await t.rejects(slow, { code: 'CONFLICT', details: { reason: 'already_running' } })
})

t.test('a key whose process died is free after its lease, an old one after 24 hours', async (t) => {
  const { database } = await testDatabase(t, notesSchema)
  const core = await database('core')
  const key = keyOf()
  await withIdempotency(core, key, async () => {
    await core.batchSql`UPDATE idempotency SET locked_until = now()`
    await withIdempotency(core, key, async () => ({ ...created, body: 'second' }))
    return created
  })
  const kept = await withIdempotency(core, key, async () => created)
  t.equal(kept.body, 'second', 'the first, back from the dead, overwrites nothing')
  await core.batchSql`UPDATE idempotency SET expires_at = now()`
  t.equal((await withIdempotency(core, keyOf('new'), async () => created)).replayed, false)
  t.equal(
    (await withIdempotency(core, { ...key, bodyHash: 'new' }, async () => created)).replayed,
    false,
  )
})
