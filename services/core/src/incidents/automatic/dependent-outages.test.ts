/** Decisions on outages of components with dependencies, and their independence of order. */
import fc from 'fast-check'
import t from 'tap'
import { dependentsOf, reachableFrom } from '../../components/dependencies/graph.ts'
import type { StatusClaims } from '../../components/status.ts'
import {
  decideOutages,
  firstDecisionAt,
  type OutageContext,
  type OutageDecisions,
} from './dependent-outages.ts'

type Outage = OutageContext['outages'][number]
type Component = OutageContext['components'] extends ReadonlyMap<string, infer One> ? One : never

const START = Date.parse('2026-08-01T09:00:00.000Z')
const at = (seconds: number) => new Date(START + seconds * 1_000)
const SCHEDULE = { checkInterval: 60, failureThreshold: 3, recoveryThreshold: 2, timeout: 10_000 }
/** Seconds from the failure to the last result that can report it. */
const DETECTION_SECONDS = 3 * 60 + 10

const failing: StatusClaims = [
  { source: 'manual', claimantId: null, status: 'operational', at: '1' },
  { source: 'monitor', claimantId: null, status: 'major_outage', at: '2' },
]

const component = (id: string, more: Partial<Component> = {}): Component => ({
  id,
  status: 'operational',
  claims: failing.slice(0, 1),
  isEnabled: true,
  endpoint: { kind: 'http', ...SCHEDULE } as Component['endpoint'],
  metric: null,
  ...more,
})

const down = (id: string, more: Partial<Component> = {}) =>
  component(id, { status: 'major_outage', claims: failing, ...more })

const outage = (componentId: string, more: Partial<Outage> = {}): Outage => ({
  componentId,
  causeId: null,
  decideAt: at(0),
  monitor: {
    componentId,
    name: componentId,
    derivedStatus: 'major_outage',
    since: at(-60).toISOString(),
    reason: null,
  },
  ...more,
})

/** Context of edges such as `api-host`: `api` depends on `host`. */
const context = (
  edges: string,
  components: Component[],
  { outages = [], incidents = {} }: { outages?: Outage[]; incidents?: Record<string, string> },
): OutageContext => {
  const dependencies = new Map<string, string[]>()
  for (const edge of edges.split(' ')) {
    const [id = '', target = ''] = edge.split('-')
    dependencies.set(id, [...(dependencies.get(id) ?? []), target])
  }
  return {
    outages,
    dependencies,
    components: new Map(components.map((one) => [one.id, one])),
    incidentIds: new Map(Object.entries(incidents)),
  }
}

const summary = ({ ended, attributed, confirmed, released }: OutageDecisions<Outage>) => ({
  ended: ended.map(({ componentId }) => componentId),
  attributed: attributed.map(({ outage, causeId }) => `${outage.componentId}<${causeId}`),
  confirmed: confirmed.map((group) => group.map(({ componentId }) => componentId).join('+')),
  released: released.map(({ outage, decideAt }) => `${outage.componentId}@${seconds(decideAt)}`),
})
const seconds = (time: Date) => (time.getTime() - START) / 1_000
const decide = (given: OutageContext) => summary(decideOutages(given, at(0)))
const nothing = { ended: [], attributed: [], confirmed: [], released: [] }

t.test('the first decision waits for the slowest dependency that is checked', async (t) => {
  const decisionAfter = (...dependencies: Component[]) =>
    seconds(firstDecisionAt(outage('api'), dependencies, at(0)))
  t.equal(decisionAfter(component('host')), DETECTION_SECONDS - 60 + 5)
  const slow = { kind: 'http', ...SCHEDULE, checkInterval: 86_400 } as Component['endpoint']
  t.equal(decisionAfter(component('slow', { endpoint: slow })), 600, 'at most ten minutes')
  t.equal(decisionAfter(component('service', { endpoint: null })), 0)
  t.equal(decisionAfter(component('host', { isEnabled: false })), 0)
  t.equal(decisionAfter(component('host'), down('database')), 0)
})

t.test('an outage is listed in the incident of a dependency that is down', async (t) => {
  const components = [down('api'), component('database'), down('host')]
  const given = { outages: [outage('api')], incidents: { host: 'i1' } }
  t.same(decide(context('api-database database-host', components, given)), {
    ...nothing,
    attributed: ['api<host'],
  })
})

t.test('the cause of a chain of outages is the one that nothing explains', async (t) => {
  const components = [down('api'), down('database'), down('host')]
  const outages = [outage('api'), outage('database')]
  const given = { outages, incidents: { host: 'i1' } }
  t.same(decide(context('api-database database-host', components, given)).attributed, [
    'api<host',
    'database<host',
  ])
})

t.test('outages without a cause are confirmed one by one, the dependency first', async (t) => {
  const components = [down('api'), down('database'), component('host')]
  const outages = [outage('api'), outage('database')]
  t.same(decide(context('api-database database-host', components, { outages })), {
    ...nothing,
    confirmed: ['database'],
  })
})

t.test('outages with a common cause without an incident share one', async (t) => {
  const components = [down('a'), down('b'), down('c'), down('host')]
  const outages = [outage('a'), outage('b', { decideAt: at(60) }), outage('c')]
  t.same(decide(context('a-host b-host c-host', components, { outages })), {
    ...nothing,
    confirmed: ['a+b+c'],
  })
})

t.test(
  'outages that outlast their cause are released together, then share an incident',
  async (t) => {
    const components = [down('a'), down('b'), component('host')]
    const attributed = { causeId: 'host', decideAt: null }
    const waiting = [outage('a', attributed), outage('b', attributed)]
    t.same(decide(context('a-host b-host', components, { outages: waiting })), {
      ...nothing,
      released: ['a@135', 'b@135'],
    })
    const due = waiting.map((one) => ({ ...one, decideAt: at(0) }))
    t.same(decide(context('a-host b-host', components, { outages: due })), {
      ...nothing,
      confirmed: ['a+b'],
    })
  },
)

t.test('a degradation is explained by one, an outage is not', async (t) => {
  const degradation: StatusClaims = [
    ...failing.slice(0, 1),
    { source: 'monitor', claimantId: null, status: 'degraded_performance', at: '2' },
  ]
  const degraded = (id: string) => component(id, { claims: degradation })
  const { monitor } = outage('a')
  const slow = outage('a', { monitor: { ...monitor, derivedStatus: 'degraded_performance' } })
  for (const host of [degraded('host'), down('host')]) {
    const components = [degraded('a'), down('b'), host]
    const { attributed } = decide(context('a-host b-x', components, { outages: [slow] }))
    t.same(attributed, ['a<host'], 'without an incident')
  }
  const hold = { outages: [outage('b'), slow], incidents: { host: 'i1' } }
  t.same(decide(context('a-host b-host', [degraded('a'), down('b'), degraded('host')], hold)), {
    ...nothing,
    attributed: ['a<host'],
    confirmed: ['b'],
  })
  const waiting = { outages: [{ ...slow, causeId: 'host', decideAt: null }] }
  t.same(decide(context('a-host', [degraded('a'), degraded('host')], waiting)), nothing)
  t.same(decide(context('a-host', [degraded('a'), component('host')], waiting)), {
    ...nothing,
    released: ['a@135'],
  })
})

t.test('an outage ends with its failures, or with its checks', async (t) => {
  const components = [component('a'), down('b', { isEnabled: false }), component('host')]
  const outages = [outage('a'), outage('b'), outage('gone')]
  t.same(decide(context('a-host b-host gone-host', components, { outages })), {
    ...nothing,
    ended: ['a', 'b', 'gone'],
  })
})

/** The state that the handler of check events and the job change by the rules. */
const simulation = () => {
  const ids = Array.from({ length: 30 }, (_none, index) => `c${index}`)
  // Some components depend on the host through others.
  const edges = ids.map((id, index) => (index % 3 === 2 ? `${id}-c${index - 1}` : `${id}-host`))
  const { dependencies } = context(edges.join(' '), [], {})
  const dependents = reachableFrom(dependentsOf(dependencies), 'host')
  const components = new Map(['host', ...ids].map((id) => [id, component(id)]))
  const incidents: string[][] = []
  const listed = new Map<string, string>()
  let outages: Outage[] = []
  const open = (members: string[]) => {
    for (const id of members) listed.set(id, String(incidents.length))
    incidents.push([...members])
  }
  return {
    results: ['host', ...ids],
    fail(id: string, now: Date) {
      components.set(id, down(id))
      if (id === 'host') {
        open(['host'])
        outages = outages.map((one) =>
          dependents.has(one.componentId) ? { ...one, decideAt: now } : one,
        )
        return
      }
      const rows = [...reachableFrom(dependencies, id).keys()].flatMap(
        (one) => components.get(one) ?? [],
      )
      const found = outage(id, { monitor: { ...outage(id).monitor, since: at(0).toISOString() } })
      outages.push({ ...found, decideAt: firstDecisionAt(found, rows, now) })
    },
    decide(now: Date) {
      for (let rounds = 0; rounds < 100; rounds++) {
        const given = { outages, dependencies, components, incidentIds: listed }
        const { ended, attributed, confirmed } = decideOutages(given, now)
        if (ended.length + attributed.length + confirmed.length === 0) return
        const causes = new Map(attributed.map((one) => [one.outage.componentId, one]))
        for (const { outage, incidentId } of attributed) {
          incidents[Number(incidentId)]?.push(outage.componentId)
        }
        const [group = []] = confirmed
        if (group.length > 0) open(group.map(({ componentId }) => componentId))
        outages = outages
          .filter((one) => !ended.includes(one) && !group.includes(one))
          .map((one) => {
            const cause = causes.get(one.componentId)
            return cause === undefined ? one : { ...one, causeId: cause.causeId, decideAt: null }
          })
      }
    },
    endState: () => ({
      incidents: incidents.map((members) => members.toSorted()),
      waiting: outages.map(({ componentId, causeId }) => `${componentId}<${causeId}`).toSorted(),
    }),
  }
}

t.test('whatever the order of 31 results, they end in one incident of the host', async (t) => {
  const { results } = simulation()
  const dependents = results.filter((id) => id !== 'host')
  const expected = {
    incidents: [results.toSorted()],
    waiting: dependents.map((id) => `${id}<host`).toSorted(),
  }
  const order = fc.shuffledSubarray(results, { minLength: results.length })
  const times = fc.array(fc.integer({ min: 0, max: DETECTION_SECONDS }), {
    minLength: results.length,
    maxLength: results.length,
  })
  const property = fc.property(order, times, (ids, delays) => {
    const state = simulation()
    const sorted = delays.toSorted((left, right) => left - right)
    for (const [index, id] of ids.entries()) {
      const now = at(sorted[index] ?? 0)
      state.decide(now)
      state.fail(id, now)
    }
    state.decide(at(DETECTION_SECONDS + 600))
    t.strictSame(state.endState(), expected, `order ${ids.join()}`)
  })
  fc.assert(property, { numRuns: 1_000, seed: 31 })
})
