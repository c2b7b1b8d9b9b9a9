/** Conversion of a schedule between the form and the API. */
import t from 'tap'
import type { Schedule } from './queries.ts'
import {
  bodyOf,
  draftOf,
  endingAt,
  type LayerWindow,
  newSchedule,
  newWindow,
  windowEnd,
} from './schedule-draft.ts'

const layer = (id: string, order: number): Schedule['layers'][number] => ({
  id,
  name: id,
  order,
  startsAt: '2026-01-05T00:00:00.000Z',
  endsAt: null,
  rotationInterval: 'weekly',
  rotationLength: 2,
  handoffTime: '09:00',
  userIds: ['ana'],
  restrictions: [],
})

t.test('layers are in the order of their precedence, and keep their ids', async (t) => {
  const layers = [layer('high', 7), layer('low', 1), layer('high as well', 7)]
  const draft = draftOf({ layers, componentIds: [], events: [], escalation: [] } as never)
  t.same(
    draft.layers.map(({ id }) => id),
    ['low', 'high', 'high as well'],
  )
  t.match(bodyOf({ layers: draft.layers }).layers, [
    { id: 'low', order: 0, rotationLength: 2 },
    { id: 'high', order: 1 },
    { id: 'high as well', order: 2 },
  ])
})

t.test('a new schedule sends no ids, and numbers that the service can refuse', async (t) => {
  const draft = newSchedule('UTC')
  const [first] = draft.layers as [(typeof draft.layers)[number]]
  const body = bodyOf({ ...draft, layers: [{ ...first, rotationLength: 'two' }] })
  t.same(Object.keys(body.layers[0] ?? {}).includes('id'), false)
  t.equal(body.layers[0]?.rotationLength as unknown, 'two')
  t.same(body.escalation, [{ delayMinutes: 0, targets: ['schedule'] }])
  t.equal(bodyOf({ description: '' }).description, null)
})

t.test('a window is shown by its end', async (t) => {
  const night: LayerWindow = { type: 'daily', startTime: '22:00', durationSeconds: 8 * 3_600 }
  t.match(windowEnd(night), { time: '06:00' })
  t.equal(endingAt(night, { day: 1, time: '07:30' }).durationSeconds, 9.5 * 3_600)
  t.equal(endingAt(night, { day: 1, time: '22:00' }).durationSeconds, 86_400)
  const workdays = newWindow('weekly')
  t.same(windowEnd(workdays), { day: 5, time: '17:00' })
  const weekend: LayerWindow = {
    type: 'weekly',
    startDay: 6,
    startTime: '00:00',
    durationSeconds: 3_600,
  }
  const untilMonday = endingAt(weekend, { day: 1, time: '00:00' })
  t.equal(untilMonday.durationSeconds, 2 * 86_400)
  t.same(windowEnd(untilMonday), { day: 1, time: '00:00' })
})
