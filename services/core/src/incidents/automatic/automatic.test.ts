/** Automatic changes of incidents by check results, case by case. */
import t from 'tap'
import type { IncidentRow } from '../../tables.ts'
import { type AutomaticIncident, decideOnOutage, decideOnRecovery } from './automatic.ts'

const now = new Date('2026-08-01T09:30:00.000Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
const component = { id: 'c1', name: 'API' }
const ids = { incidentId: 'new', updateId: 'u' }
const since = ago(90)

const automatic = (
  incident: Partial<IncidentRow>,
  components: { componentId: string; isFailing: boolean }[] = [],
  hasUserUpdate = false,
): AutomaticIncident => ({
  incident: {
    id: 'i1',
    status: 'investigating',
    createdAt: ago(600),
    autoResolved: false,
    resolvedAt: null,
    triggerComponentId: 'other',
    ...incident,
  } as IncidentRow,
  components: components.map((one) => ({ isExplained: false, ...one })),
  hasUserUpdate,
})

const down = (candidates: AutomaticIncident[], relatives: string[] = []) =>
  decideOnOutage({ component, since, candidates, relatedIds: new Set(relatives), ids, now })

t.test('the first failure opens an incident with the texts of the contract', async (t) => {
  t.match(down([]), {
    kind: 'open',
    input: {
      title: 'API is down',
      status: 'investigating',
      impact: 'critical',
      message: 'Automatic checks of API have failed since 2026-08-01 09:28:30 UTC.',
      componentStatuses: { c1: 'major_outage' },
      startedAt: since,
      source: 'monitor',
      triggerComponentId: 'c1',
    },
  })
})

t.test('a component has one open automatic incident', async (t) => {
  const open = automatic({ status: 'monitoring' }, [{ componentId: 'c1', isFailing: false }])
  t.match(down([open]), {
    kind: 'edit',
    incidentId: 'i1',
    edit: { update: { status: 'monitoring', componentStatuses: { c1: 'major_outage' } } },
  })
})

t.test(
  'a failure joins an incident that a relative opened within the last minute, not an older one',
  async (t) => {
    const recent = automatic({ createdAt: ago(60) })
    t.match(down([recent], ['other']), { kind: 'edit', incidentId: 'i1' })
    t.match(down([recent], ['stranger']), { kind: 'open' })
    t.match(down([automatic({ createdAt: ago(61) })], ['other']), { kind: 'open' })
    const listed = Array.from({ length: 500 }, (_none, index) => ({
      componentId: `x${index}`,
      isFailing: false,
    }))
    const full = automatic({ createdAt: ago(1) }, listed)
    t.match(down([full], ['other']), { kind: 'open' }, 'nor one at its limit of components')
  },
)

t.test('an incident that resolved automatically within ten minutes is reopened', async (t) => {
  const listed = [{ componentId: 'c1', isFailing: false }]
  const resolved = { status: 'resolved', autoResolved: true, resolvedAt: ago(599) } as const
  t.match(down([automatic(resolved, listed)]), {
    kind: 'edit',
    edit: { update: { status: 'investigating' } },
  })
  t.match(down([automatic({ ...resolved, resolvedAt: ago(600) }, listed)]), { kind: 'open' })
  t.match(down([automatic({ ...resolved, autoResolved: false }, listed)]), { kind: 'open' })
})

const recovered = (one: AutomaticIncident) =>
  decideOnRecovery({ component, since, automatic: one, ids })

t.test('the last recovery resolves the incident, an earlier one only adds an update', async (t) => {
  const mine = { componentId: 'c1', isFailing: true }
  t.match(recovered(automatic({}, [mine, { componentId: 'c2', isFailing: false }])), {
    autoResolves: true,
    edit: { update: { status: 'resolved', componentStatuses: { c1: 'operational' } } },
  })
  t.match(recovered(automatic({}, [mine, { componentId: 'c2', isFailing: true }])), {
    autoResolves: false,
    edit: { update: { status: 'investigating' } },
  })
})

t.test('an incident with an update by a user stays open with a note', async (t) => {
  const one = automatic({ status: 'identified' }, [{ componentId: 'c1', isFailing: true }], true)
  t.match(recovered(one), { autoResolves: false, edit: { update: { status: 'identified' } } })
})
