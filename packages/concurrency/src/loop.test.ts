/** Pauses, wake-ups and the end of a loop. */
import { getEventListeners } from 'node:events'
import t from 'tap'
import { runLoop } from './loop.ts'
import { Wakeup } from './wakeup.ts'

const MINUTE_MS = 60_000

t.test('a run is followed by its pause, which a wake-up or the signal ends', async (t) => {
  const wakeup = new Wakeup()
  const stopping = new AbortController()
  const runs = [1, 2, 3].map(() => Promise.withResolvers<void>())
  let count = 0
  const ended = runLoop({
    async run() {
      runs[count++]?.resolve()
      if (count === 1) throw new Error('broken')
      return MINUTE_MS
    },
    onError: () => 0,
    wakeup,
    signal: stopping.signal,
  })
  await runs[1]?.promise
  t.equal(count, 2, 'a failed run is followed by the pause that `onError` returns')
  wakeup.wake()
  await runs[2]?.promise
  stopping.abort()
  await ended
  t.equal(count, 3)
})

t.test('a wake-up outside of a wait ends the next one, once', async (t) => {
  const wakeup = new Wakeup()
  wakeup.wake()
  wakeup.wake()
  await wakeup.wait(MINUTE_MS)
  let isOver = false
  const next = wakeup.wait(MINUTE_MS).then(() => {
    isOver = true
  })
  await Promise.resolve()
  t.notOk(isOver)
  wakeup.wakeWithin(1)
  wakeup.wakeWithin(MINUTE_MS)
  await next
})

t.test('a wait leaves no listener at its signal', async (t) => {
  const { signal } = new AbortController()
  await new Wakeup().wait(1, signal)
  t.equal(getEventListeners(signal, 'abort').length, 0)
})
