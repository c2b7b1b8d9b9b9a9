/** Downtime of typical histories; `measurement-model.test.ts` checks the general laws. */
import type { ComponentStatus } from '@status-page/contracts'
import { runToEnd } from '@status-page/service'
import { largestStep } from '@status-page/testing'
import t from 'tap'
import type { StatusIntervalWithSource } from '../components/uptime/history.ts'
import { markMaintenances } from './maintenance-windows.ts'
import { measureSla, type SlaHistories, type SlaMeasurement, type SlaTerms } from './measurement.ts'

const measured = (...input: Parameters<typeof measureSla>): SlaMeasurement =>
  runToEnd(measureSla(...input))

const terms: SlaTerms = {
  aggregation: 'any_down',
  downtimeStatuses: ['partial_outage', 'major_outage'],
  partialWeight: 1,
  excludeMaintenance: true,
  minOutageSeconds: 0,
}

const period = (
  status: ComponentStatus,
  from: number,
  to: number | null,
  source: StatusIntervalWithSource['source'] = status === 'under_maintenance'
    ? 'maintenance'
    : 'monitor',
): StatusIntervalWithSource => ({ status, source, startedAt: from, endedAt: to })

/** Histories of components named a, b, …; each list has statuses and their end times. */
const histories = (...lists: StatusIntervalWithSource[][]): SlaHistories =>
  new Map(lists.map((list, index) => [String.fromCharCode(97 + index), list]))

const up = (from = 0, to: number | null = null) => period('operational', from, to)
const NOW = new Date(1_000)
const span = { from: 0, to: 1_000 }

const cases: [name: string, SlaHistories, Partial<SlaTerms>, Partial<SlaMeasurement>][] = [
  ['nothing but operation', histories([up()]), {}, { countedMs: 1_000, downtimeMs: 0 }],
  ['no component left', histories([]), {}, { countedMs: 0, downtimeMs: 0, outages: [] }],
  [
    'an outage that lasts',
    histories([up(0, 900), period('major_outage', 900, null)]),
    {},
    {
      downtimeMs: 100,
      outages: [
        { componentId: 'a', status: 'major_outage', from: 900, to: 1_000, isOngoing: true },
      ],
    },
  ],
  [
    'a component created inside the span counts from then on',
    histories([up(600, 800), period('major_outage', 800, 900), up(900)]),
    {},
    { countedMs: 400, downtimeMs: 100 },
  ],
  [
    'two down at once count once, where any counts',
    histories(
      [up(0, 100), period('major_outage', 100, 300), up(300)],
      [up(0, 200), period('major_outage', 200, 400), up(400)],
    ),
    {},
    { countedMs: 1_000, downtimeMs: 300 },
  ],
  [
    'the mean of what exists at each moment, where the average counts',
    histories([up(0, 500), period('major_outage', 500, null)], [up(600)]),
    { aggregation: 'average' },
    { countedMs: 1_000, downtimeMs: 100 + 200 },
  ],
  [
    'partial outages by their weight, major ones whole',
    histories([up(0, 100), period('partial_outage', 100, 300), period('major_outage', 300, 400)]),
    { partialWeight: 0.3 },
    { countedMs: 400, downtimeMs: 160 },
  ],
  [
    'the worst at each moment, by weight',
    histories([period('partial_outage', 0, null)], [up(0, 500), period('major_outage', 500, null)]),
    { partialWeight: 0.5 },
    { downtimeMs: 250 + 500 },
  ],
  [
    'a status that is not listed is no downtime',
    histories([period('degraded_performance', 0, 500), period('partial_outage', 500, null)]),
    { downtimeStatuses: ['major_outage'] },
    { countedMs: 1_000, downtimeMs: 0, outages: [] },
  ],
  [
    'degraded counts where it is listed',
    histories([period('degraded_performance', 0, 500), up(500)]),
    { downtimeStatuses: ['degraded_performance'], partialWeight: 0.5 },
    { downtimeMs: 250 },
  ],
  [
    'maintenance leaves the measurement',
    histories([up(0, 100), period('under_maintenance', 100, 400), up(400)]),
    {},
    { countedMs: 700, excludedMs: 300 },
  ],
  [
    'maintenance stays in it where it is not excluded, or was set by hand',
    histories([
      period('under_maintenance', 0, 500, 'manual'),
      period('under_maintenance', 500, null),
    ]),
    { excludeMaintenance: true },
    { countedMs: 500, excludedMs: 500 },
  ],
  [
    'not excluded: maintenance is uptime',
    histories([period('under_maintenance', 0, null)]),
    { excludeMaintenance: false },
    { countedMs: 1_000, excludedMs: 0, downtimeMs: 0 },
  ],
  [
    'of two components under maintenance in turn the other one counts',
    histories(
      [period('under_maintenance', 0, 500), up(500)],
      [period('major_outage', 0, 200), up(200, 700), period('under_maintenance', 700, null)],
    ),
    { aggregation: 'average' },
    { countedMs: 1_000, excludedMs: 0, downtimeMs: 200 },
  ],
  [
    'the same status from another source is the same outage',
    histories([
      period('major_outage', 0, 400),
      period('major_outage', 400, 600, 'incident'),
      up(600),
    ]),
    {},
    {
      outages: [{ componentId: 'a', status: 'major_outage', from: 0, to: 600, isOngoing: false }],
    },
  ],
]

const during = (one: StatusIntervalWithSource) => ({ ...one, duringMaintenance: true })

cases.push(
  [
    'an outage during a maintenance of the component is excluded, whatever caused it',
    histories([
      up(0, 100),
      during(period('major_outage', 100, 200, 'incident')),
      during(period('partial_outage', 200, 300)),
      during(up(300, 400)),
      period('major_outage', 400, 450),
      up(450),
    ]),
    {},
    { countedMs: 800, excludedMs: 200, downtimeMs: 50 },
  ],
  [
    'an outage during a maintenance counts where maintenance is not excluded',
    histories([during(period('major_outage', 0, 200)), up(200)]),
    { excludeMaintenance: false },
    { countedMs: 1_000, excludedMs: 0, downtimeMs: 200 },
  ],
)

for (const [name, given, special, expected] of cases) {
  t.test(name, async (t) => t.match(measured(given, { ...terms, ...special }, span, NOW), expected))
}

t.test('outages below the minimum length are excluded, by their whole duration', async (t) => {
  const at = (seconds: number) => seconds * 1_000
  const given = histories([
    up(0, at(10)),
    period('partial_outage', at(10), at(30)),
    period('major_outage', at(30), at(80)),
    up(at(80), at(100)),
    period('major_outage', at(100), at(159)),
    up(at(159)),
  ])
  const forgiving = { ...terms, minOutageSeconds: 60 }
  const whole = { from: 0, to: at(200) }
  const measurement = measured(given, forgiving, whole, new Date(at(200)))
  t.equal(measurement.downtimeMs, at(70))
  t.same(
    measurement.outages.map(({ from, to }) => [from, to]),
    [
      [at(10), at(30)],
      [at(30), at(80)],
    ],
  )
  const tail = measured(given, forgiving, { from: at(75), to: at(200) }, new Date(at(200)))
  t.equal(tail.downtimeMs, at(5), 'the whole length counts, not the clipped part')
})

t.test(
  'history is marked where a maintenance was active, also where windows overlap',
  async (t) => {
    const given = new Map([['a', [up(0, 100), period('major_outage', 100, 500), up(500)]]])
    const windows = [
      { from: 450, to: 700 },
      { from: 50, to: 150 },
      { from: 120, to: 200 },
    ]
    const marks = runToEnd(markMaintenances(given, new Map([['a', windows]]))).get('a') ?? []
    t.same(
      marks.map(({ startedAt, endedAt, duringMaintenance }) => [
        startedAt,
        endedAt,
        duringMaintenance,
      ]),
      [
        [0, 50, false],
        [50, 100, true],
        [100, 200, true],
        [200, 450, false],
        [450, 500, true],
        [500, 700, true],
        [700, null, false],
      ],
    )
    t.equal(measured(new Map([['a', marks]]), terms, span, NOW).downtimeMs, 250)
  },
)

t.test('the future is neither up nor down', async (t) => {
  const measurement = measured(histories([up()]), terms, { from: 0, to: 9_999 }, NOW)
  t.equal(measurement.countedMs, 1_000)
  const ahead = measured(histories([up()]), terms, { from: 2_000, to: 9_999 }, NOW)
  t.match(ahead, { countedMs: 0, outages: [] })
})

t.test('an measurement of many status changes is made a few at a time', async (t) => {
  let read = 0
  const changes = Array.from({ length: 20_000 }, (_, index) => ({
    source: 'monitor' as const,
    startedAt: index,
    endedAt: index + 1,
    get status() {
      read += 1
      return index % 2 === 0 ? ('operational' as const) : ('major_outage' as const)
    },
  }))
  const measurement = measureSla(
    histories(changes),
    terms,
    { from: 0, to: 20_000 },
    new Date(20_000),
  )
  const largest = largestStep(measurement, () => read)
  t.ok(largest < read / 10, `${largest} of ${read} without a pause`)
  let weighed = 0
  const weighing = {
    ...terms,
    get partialWeight() {
      weighed += 1
      return 1
    },
  }
  const sums = measureSla(histories(changes), weighing, { from: 0, to: 20_000 }, new Date(20_000))
  const most = largestStep(sums, () => weighed)
  t.ok(most < weighed / 10, `${most} of ${weighed} moments are summed without a pause`)
  // One pause of classification for each 1,000 changes, and several in each later pass.
  const pauses = [
    ...measureSla(histories(changes), terms, { from: 0, to: 20_000 }, new Date(20_000)),
  ].length
  t.ok(pauses > 300, `${pauses} pauses`)
})

t.test('maintenances of one component are marked a few at a time', async (t) => {
  let [statuses, starts, ends] = [0, 0, 0]
  const changes = Array.from({ length: 20_000 }, (_, index) => ({
    source: 'monitor' as const,
    startedAt: index * 10,
    endedAt: index * 10 + 10,
    get status() {
      statuses += 1
      return 'operational' as const
    },
  }))
  const windows = Array.from({ length: 20_000 }, (_, index) => ({
    get from() {
      starts += 1
      return index * 10 + 3
    },
    get to() {
      ends += 1
      return index * 10 + 6
    },
  }))
  for (const countOf of [() => statuses, () => starts, () => ends]) {
    const before = countOf()
    const work = markMaintenances(histories(changes), new Map([['a', windows]]))
    const largest = largestStep(work, countOf)
    t.ok(largest < (countOf() - before) / 10, `${largest} without a pause`)
  }
})
