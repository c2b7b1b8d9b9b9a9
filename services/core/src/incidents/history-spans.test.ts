/** Spans of corrected incidents, in hours of one day. */
import t from 'tap'
import { historySpans } from './history-spans.ts'

const HOUR_MS = 3_600_000
const hour = (hours: number) => new Date(hours * HOUR_MS)

type Update = Parameters<typeof historySpans>[1][number]

const update = (at: number, status: Update['status'], api?: string, displayAt = at): Update => ({
  isImported: false,
  status,
  componentStatuses: (api === undefined ? {} : { api }) as Update['componentStatuses'],
  createdAt: hour(at),
  displayAt: hour(displayAt),
})

const spans = (
  times: [startedAt: number, resolvedAt: number],
  updates: Update[],
  more: { isBackfilled?: boolean; reopenCount?: number; others?: [number, number][] } = {},
) => {
  const { isBackfilled = false, reopenCount = 0, others = [] } = more
  const incident = {
    isBackfilled,
    reopenCount,
    startedAt: hour(times[0]),
    resolvedAt: hour(times[1]),
  }
  const otherTimes = others.map(([from, to]) => ({ from: from * HOUR_MS, to: to * HOUR_MS }))
  return historySpans(incident, updates, 'api', otherTimes).map(({ status, from, to }) => [
    status,
    from / HOUR_MS,
    to / HOUR_MS,
  ])
}

const live = [
  update(4, 'investigating', 'partial_outage'),
  update(6, 'identified', 'major_outage'),
  update(8, 'resolved'),
]

t.test('an entered incident covers its times with the latest status that was given', async (t) => {
  const more = { isBackfilled: true }
  const entered = update(10, 'resolved', 'major_outage', 5)
  t.same(spans([2, 5], [entered], more), [['major_outage', 2, 5]])
  t.same(spans([2, 5], [entered, update(11, 'resolved', 'partial_outage')], more), [
    ['partial_outage', 2, 5],
  ])
  t.same(spans([2, 5], [entered, update(11, 'resolved', 'operational')], more), [])
  t.same(spans([2, 5], [update(10, 'resolved')], more), [])
})

t.test('earlier starts and later ends extend what was recorded', async (t) => {
  t.same(spans([4, 8], live), [])
  t.same(spans([2, 9], live), [
    ['partial_outage', 2, 4],
    ['major_outage', 8, 9],
  ])
})

t.test('later starts and earlier ends remove what was recorded', async (t) => {
  t.same(spans([5, 7], live), [
    ['operational', 4, 5],
    ['operational', 7, 8],
  ])
  t.same(spans([1, 2], live), [
    ['operational', 4, 8],
    ['partial_outage', 1, 2],
  ])
})

t.test('the time of another incident is not removed', async (t) => {
  t.same(spans([4, 5], live, { others: [[6, 7]] }), [
    ['operational', 5, 6],
    ['operational', 7, 8],
  ])
})

t.test(
  'a component without a status is not extended, and a resolved creation sets none',
  async (t) => {
    t.same(spans([2, 9], [update(4, 'investigating'), update(8, 'resolved')]), [])
    t.same(spans([2, 9], [update(8, 'resolved', 'major_outage')]), [])
  },
)

const imported = (displayAt: number, status: Update['status'], api?: string): Update => ({
  ...update(displayAt, status, api),
  isImported: true,
})

const past = [
  imported(4, 'investigating', 'partial_outage'),
  imported(5, 'identified'),
  imported(6, 'monitoring', 'major_outage'),
  imported(7, 'monitoring', 'operational'),
  imported(8, 'resolved', 'operational'),
]
const isBackfilled = true

t.test('each status of an imported incident holds until the next one', async (t) => {
  t.same(spans([4, 8], past, { isBackfilled }), [
    ['partial_outage', 4, 6],
    ['major_outage', 6, 7],
  ])
  t.same(
    spans([3, 8], past.slice(0, 3), { isBackfilled }),
    [
      ['partial_outage', 3, 6],
      ['major_outage', 6, 8],
    ],
    'the first one from the start, the last one to the end',
  )
  t.same(spans([4, 5], past, { isBackfilled }), [['partial_outage', 4, 5]], 'not after the end')
  const resolved = [imported(4, 'investigating', 'major_outage'), imported(6, 'resolved')]
  t.same(
    spans([4, 8], [...resolved, imported(7, 'identified', 'partial_outage')]),
    [
      ['major_outage', 4, 6],
      ['partial_outage', 7, 8],
    ],
    'a resolution ends the outage',
  )
  t.same(spans([4, 8], [imported(4, 'investigating', 'under_maintenance')]), [])
})

t.test('after an import, statuses are recorded or entered as of any other incident', async (t) => {
  const open = past.slice(0, 3)
  t.same(
    spans([4, 12], [...open, update(10, 'identified', 'partial_outage'), update(12, 'resolved')]),
    [
      ['partial_outage', 4, 6],
      ['major_outage', 6, 10],
    ],
    'from the next update on, the history is recorded',
  )
  t.same(spans([4, 11], [...open, update(12, 'resolved')]), [
    ['partial_outage', 4, 6],
    ['major_outage', 6, 11],
  ])
  t.same(
    spans([4, 8], [...past, update(20, 'resolved', 'degraded_performance')], { isBackfilled }),
    [['degraded_performance', 4, 8]],
    'a status that is entered later replaces the imported ones',
  )
})

t.test('the end of a reopened incident is that of its last resolution', async (t) => {
  const reopened = [...live, update(10, 'investigating', 'partial_outage'), update(12, 'resolved')]
  t.same(spans([4, 11], reopened, { reopenCount: 1 }), [['operational', 11, 12]])
  t.same(spans([4, 13], reopened, { reopenCount: 1 }), [['partial_outage', 12, 13]])
})
