/** The incident of a draft: derived from its line, and never against a choice of the user. */
import t from 'tap'
import { composeIncident, incidentBodyOf, withTemplate } from './composed-incident.ts'
import { isEmptyDraft, newDraft } from './draft.ts'

const NOW = Date.parse('2026-08-01T12:00:00.000Z')
const known = ['API', 'Checkout', 'Search EU', 'Search US'].map((name) => ({ id: name, name }))
const draftOf = (entered: Parameters<typeof newDraft>[1]) => newDraft(NOW, entered)
const composed = (entered: Parameters<typeof newDraft>[1]) =>
  composeIncident(draftOf(entered), known, (names, status) => `${names}: ${status}`)

t.test('the line determines components, impact and title', async (t) => {
  t.match(composed({ line: 'API slow, Checkout down' }), {
    components: [
      { id: 'API', status: 'degraded_performance' },
      { id: 'Checkout', status: 'major_outage' },
    ],
    impact: 'critical',
    title: 'API slow, Checkout down',
  })
  t.equal(composed({ line: 'API' }).title, 'API: degraded_performance')
  t.equal(composed({ line: 'Errors at login' }).impact, 'minor')
})

t.test('choices of the user outlive a change of the line', async (t) => {
  const incident = composed({
    line: 'API and Checkout down since noon',
    title: 'Trouble',
    impact: 'minor',
    statuses: { Checkout: 'partial_outage', 'Search EU': 'unchanged' },
    removedIds: ['API'],
  })
  t.same(
    incident.components.map(({ id, status }) => [id, status]),
    [
      ['Checkout', 'partial_outage'],
      ['Search EU', 'unchanged'],
    ],
  )
  t.match(incident, { title: 'Trouble', impact: 'minor' })
})

t.test('an ambiguous text becomes a component once one is chosen', async (t) => {
  const line = 'search down'
  t.same(composed({ line }).ambiguous[0]?.candidateIds.toSorted(), ['Search EU', 'Search US'])
  const chosen = composed({ line, chosenIds: { search: 'Search US' } })
  t.same(chosen.ambiguous, [])
  t.match(chosen.components, [{ id: 'Search US', status: 'major_outage' }])
})

t.test('components that do not exist any more are left out', async (t) => {
  t.same(composed({ statuses: { gone: 'major_outage' } }).components, [])
})

t.test('the body has the time of the next update and the statuses that change', async (t) => {
  const draft = draftOf({
    line: 'API down',
    statuses: { Checkout: 'unchanged' },
    nextUpdateMinutes: 15,
  })
  const incident = composeIncident(draft, known, (names, status) => `${names}: ${status}`)
  t.match(incidentBodyOf(draft, incident, NOW), {
    title: 'API down',
    status: 'investigating',
    impact: 'critical',
    componentIds: ['API', 'Checkout'],
    componentStatuses: { API: 'major_outage' },
    nextUpdateAt: '2026-08-01T12:15:00.000Z',
    notifySubscribers: true,
  })
  t.equal(incidentBodyOf({ ...draft, nextUpdateMinutes: null }, incident, NOW).nextUpdateAt, null)
  t.equal(incidentBodyOf({ ...draft, status: 'resolved' }, incident, NOW).nextUpdateAt, null)
})

t.test('a template fills the draft, and text of the user remains', async (t) => {
  const template = {
    id: 't',
    name: 'Outage',
    title: '{{what}} is down',
    message: 'We investigate {{what}}.',
    status: 'identified' as const,
    impact: 'major' as const,
    componentIds: ['API', 'Checkout'],
    componentStatuses: { API: 'major_outage' as const },
    managedByConfig: false,
    createdAt: '',
    updatedAt: '',
  }
  const draft = withTemplate(draftOf({ message: 'Own text.' }), template)
  t.match(draft, {
    message: 'Own text.\n\nWe investigate {{what}}.',
    status: 'identified',
    impact: 'major',
    statuses: { API: 'major_outage', Checkout: 'unchanged' },
  })
  const incident = composeIncident(
    { ...draft, variables: { what: 'API' } },
    known,
    (names) => names,
  )
  t.match(incident, { missingVariables: [], title: 'API is down' })
  t.same(composeIncident(draft, known, (names) => names).missingVariables, ['what'])
  t.match(incident.message, /We investigate API\.$/)
})

t.test('a draft is empty until the user enters something', async (t) => {
  t.ok(isEmptyDraft(draftOf({})))
  t.ok(isEmptyDraft(draftOf({ line: '  ', nextUpdateMinutes: null })))
  t.notOk(isEmptyDraft(draftOf({ line: 'API' })))
  t.notOk(isEmptyDraft(draftOf({ statuses: { API: 'unchanged' } })))
})
