/** Test file for `test-process.test.ts`: errors that its tests do not catch. */
import t from 'tap'

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

t.test('throws in a callback', async (t) => {
  setImmediate(() => {
    throw new Error('of a callback')
  })
  await nextTurn()
  await nextTurn()
  t.pass('continued')
})

t.test('outer', async (t) => {
  await t.test('rejects a promise', async (t) => {
    void Promise.reject(new Error('of a promise'))
    await nextTurn()
    t.pass('continued')
  })
  await t.test('passes', async (t) => {
    await nextTurn()
    t.pass('unaffected')
  })
})

// Created at once, and started after the ones before.
t.test('waits for its turn', async (t) => t.pass('unaffected'))
