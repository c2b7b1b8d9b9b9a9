/** Detection of flapping from the times of changes. */
import t from 'tap'
import { appendChangeTime, isFlapping } from './flapping.ts'

const at = (minute: number) => new Date(Date.parse('2026-08-01T09:00:00.000Z') + minute * 60_000)

t.test(
  'four changes within 30 minutes are flapping until the monitor has been stable for 15 ' +
    'minutes',
  async (t) => {
    const changes = (...minutes: number[]) => minutes.map(at)
    t.equal(isFlapping(changes(0, 1, 2), at(2)), false, 'three')
    t.equal(isFlapping(changes(0, 10, 20, 30), at(30)), true, 'four')
    t.equal(
      isFlapping(changes(0, 10, 20, 31), at(31)),
      false,
      'four changes within more than 30 minutes',
    )
    t.equal(isFlapping(changes(0, 1, 2, 3), at(17)), true, 'not stable yet')
    t.equal(isFlapping(changes(0, 1, 2, 3), at(18)), false, 'stable')
    t.same(
      appendChangeTime(changes(0, 1, 2, 3), at(4)),
      changes(1, 2, 3, 4),
      'only the latest changes are returned',
    )
  },
)
