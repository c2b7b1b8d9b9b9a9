/** Timing wheel with a clock that the test moves. */
import fc from 'fast-check'
import t from 'tap'
import type { Cancel, Clock } from './clock.ts'
import { createWheel } from './wheel.ts'

const START = 1_767_225_600_000

const fakeClock = () => {
  let time = START
  let timers: { at: number; callback: () => void }[] = []
  const clock: Clock = {
    now: () => time,
    after(delayMs, callback): Cancel {
      const timer = { at: time + delayMs, callback }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
  }
  const runDue = (until: number) => {
    for (;;) {
      const next = timers.toSorted((left, right) => left.at - right.at)[0]
      if (next === undefined || next.at > until) return
      timers = timers.filter((other) => other !== next)
      time = Math.max(time, next.at)
      next.callback()
    }
  }
  return {
    ...clock,
    pending: () => timers.length,
    advance(ms: number) {
      const until = time + ms
      runDue(until)
      time = until
    },
    /** Advances the time without running timers, as when the process is suspended. */
    stall(ms: number) {
      time += ms
      runDue(time)
    },
    setBack(ms: number) {
      time -= ms
    },
  }
}

const setup = () => {
  const clock = fakeClock()
  const fired: { key: string; dueMs: number; at: number }[] = []
  const wheel = createWheel(clock)
  const fire = (key: string, dueMs: number) => fired.push({ key, dueMs, at: clock.now() })
  return { clock, wheel, fired, fire, keys: () => fired.map(({ key }) => key) }
}

t.test('an entry fires once, not early, and within a tick', async (t) => {
  const { clock, wheel, fired, fire } = setup()
  wheel.set('a', START + 1005, fire)
  clock.advance(1004)
  t.same(fired, [])
  clock.advance(5000)
  t.match(fired, [{ key: 'a', dueMs: START + 1005, at: START + 1020 }])
  t.equal(fired.length, 1)
  t.equal(wheel.size, 0)
})

t.test('an entry already due fires at the next tick', async (t) => {
  const { clock, wheel, fire, keys } = setup()
  wheel.set('late', START - 60_000, fire)
  clock.advance(20)
  t.same(keys(), ['late'])
})

t.test('a newer time replaces the older, sooner or later', async (t) => {
  const { clock, wheel, fired, fire } = setup()
  wheel.set('sooner', START + 5000, fire)
  wheel.set('sooner', START + 1000, fire)
  wheel.set('later', START + 1000, fire)
  wheel.set('later', START + 5000, fire)
  clock.advance(10_000)
  t.match(fired, [
    { key: 'sooner', dueMs: START + 1000 },
    { key: 'later', dueMs: START + 5000 },
  ])
})

t.test(
  'a deleted entry never fires, even when deleted by another entry of the same tick',
  async (t) => {
    const { clock, wheel, fire, keys } = setup()
    wheel.set('first', START + 1000, (key, dueMs) => {
      wheel.delete('second')
      fire(key, dueMs)
    })
    wheel.set('second', START + 1001, fire)
    wheel.set('third', START + 500, fire)
    t.equal(wheel.delete('third'), true)
    t.equal(wheel.delete('third'), false)
    clock.advance(2000)
    t.same(keys(), ['first'])
  },
)

t.test('entries beyond one revolution of the wheel fire at their own time', async (t) => {
  const { clock, wheel, fired, fire } = setup()
  wheel.set('hours', START + 7_200_000, fire)
  clock.advance(7_199_999)
  t.same(fired, [])
  clock.advance(20)
  t.equal(fired.length, 1)
})

t.test('scheduling again from the callback does not drift', async (t) => {
  const { clock, wheel } = setup()
  const beats: number[] = []
  const beat = (key: string, dueMs: number) => {
    beats.push(dueMs)
    wheel.set(key, dueMs + 1000, beat)
  }
  wheel.set('beat', START + 7, beat)
  clock.advance(600_000)
  t.equal(beats.length, 600)
  t.equal(beats.at(-1), START + 7 + 599_000)
})

t.test('an entry that schedules itself far ahead delays no nearer one', async (t) => {
  const { clock, wheel, fired, fire } = setup()
  wheel.set('far', START + 100, (key, dueMs) => wheel.set(key, dueMs + 60_000, fire))
  wheel.set('near', START + 200, fire)
  clock.advance(1000)
  t.match(fired, [{ key: 'near', at: START + 200 }])
})

t.test('after a stall everything that fell due fires, oldest first, each once', async (t) => {
  const { clock, wheel, fire, keys } = setup()
  for (const seconds of [30, 10, 200, 20]) wheel.set(`${seconds}`, START + seconds * 1000, fire)
  clock.stall(300_000)
  t.same(keys(), ['10', '20', '30', '200'])
})

t.test('a clock that is set back delays and loses nothing', async (t) => {
  const { clock, wheel, fire, keys } = setup()
  wheel.set('a', START + 2000, fire)
  clock.advance(1000)
  clock.setBack(3_600_000)
  clock.advance(3_600_000)
  t.same(keys(), [])
  wheel.set('b', START + 1500, fire)
  clock.advance(2000)
  t.same(keys(), ['b', 'a'])
})

t.test('a callback that throws is reported and stops no other', async (t) => {
  const clock = fakeClock()
  const failed: string[] = []
  const fired: string[] = []
  const wheel = createWheel({ ...clock, onError: (_error, key) => failed.push(key) })
  wheel.set('bad', START + 100, () => {
    throw new Error('broken')
  })
  wheel.set('good', START + 100, (key) => fired.push(key))
  clock.advance(200)
  t.same({ failed, fired }, { failed: ['bad'], fired: ['good'] })
})

t.test('an empty or stopped wheel keeps no timer', async (t) => {
  const { clock, wheel, fire, keys } = setup()
  t.equal(clock.pending(), 0)
  wheel.set('a', START + 100, fire)
  t.equal(clock.pending(), 1)
  clock.advance(200)
  t.equal(clock.pending(), 0, 'after the last entry')
  wheel.set('b', START + 1000, fire)
  wheel.stop()
  clock.advance(2000)
  t.equal(clock.pending(), 0, 'after stop')
  t.same(keys(), ['a'])
})

t.test('every entry fires exactly once, between its time and one tick after it', async () => {
  const arming = fc.array(fc.integer({ min: -1000, max: 200_000 }), { maxLength: 40 })
  fc.assert(
    fc.property(arming, fc.integer({ min: 5, max: 3000 }), (delays, stepMs) => {
      const { clock, wheel, fired, fire } = setup()
      for (const [index, delay] of delays.entries()) wheel.set(`${index}`, START + delay, fire)
      for (let passed = 0; passed < 204_000; passed += stepMs) clock.advance(stepMs)
      const onTime = fired.every(
        ({ dueMs, at }) => at >= dueMs && at <= Math.max(dueMs, START) + 20,
      )
      return onTime && new Set(fired.map(({ key }) => key)).size === delays.length
    }),
    { numRuns: 30 },
  )
})
