/** Clock of the service: set by prompt replies, and by a late one until a faster one arrives. */
import t from 'tap'
import { ServiceClock } from './service-clock.ts'

const START = Date.parse('2026-08-01T09:00:00.000Z')

t.test('a late reply sets the clock until a faster one arrives', async (t) => {
  let monotonicMs = 0
  const clock = new ServiceClock(() => monotonicMs)
  monotonicMs = 10_000
  clock.set(START, 0)
  t.equal(clock.now(), START + 5_000, 'the first reply, whatever its duration')
  monotonicMs = 20_000
  clock.set(START + 16_000, 19_900)
  t.equal(clock.now(), START + 16_050)
  monotonicMs = 40_000
  clock.set(START, 22_000)
  t.equal(clock.now(), START + 36_050)
})
