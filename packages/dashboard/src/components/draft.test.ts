/** Drafts of components have all fields of the contract and send only what the user changed. */
import {
  checkSchemes,
  componentTypes,
  fieldsOfProbe,
  fieldsOfType,
  REDACTED as marker,
  probeKindNames,
  probeKindOf,
} from '@status-page/contracts'
import t from 'tap'
import { REDACTED } from '../api/redacted.ts'
import { checkKindOf, hasField } from './check-kinds.ts'
import {
  conflictingFields,
  creationOf,
  draftOf,
  fieldsByType,
  patchOf,
  rebased,
  savedDraft,
} from './draft.ts'
import type { ComponentData } from './tree.ts'

t.test('every type has the fields of the contract', async (t) => {
  t.equal(REDACTED, marker)
  for (const type of componentTypes) {
    t.same([...fieldsByType[type]].sort(), [...fieldsOfType(type)].sort(), type)
  }
})

t.test('changes of a heartbeat are sent without settings of requests', async (t) => {
  const job = { id: 'j', type: 'ENDPOINT', kind: 'heartbeat', name: 'Backup', autoResolve: true }
  const base = { ...job, schedule: null, periodSeconds: 60 } as unknown as ComponentData
  t.same(patchOf(base, draftOf(base)), {})
  t.same(patchOf(base, { ...draftOf(base), autoResolve: false }), { autoResolve: false })
  const schedule = { cron: '@daily', timezone: 'UTC' }
  const draft = { ...draftOf(base), schedule, periodSeconds: '' }
  t.same(patchOf(base, draft), { schedule, periodSeconds: null }, 'a schedule replaces a period')
})

t.test('the creation of a heartbeat has no settings of requests', async (t) => {
  const values = { kind: 'heartbeat', periodSeconds: '3600', maxRunSeconds: '' } as const
  const draft = { ...draftOf({}), ...values, name: 'Backup', url: 'https://a.example/' }
  t.same(Object.keys(creationOf('ENDPOINT', draft)).sort(), [
    'autoCreateIncident',
    'autoResolve',
    'dependsOn',
    'isEnabled',
    'isMuted',
    'kind',
    'name',
    'periodSeconds',
    'showIconOnStatusPage',
    'type',
  ])
  t.notOk('kind' in creationOf('SERVICE', draft))
})

t.test('the scheme of an address selects the kind of a check', async (t) => {
  for (const scheme of checkSchemes) {
    const url = `${scheme}://a`
    t.equal(checkKindOf({ kind: null, url }), probeKindOf({ url }))
  }
  for (const kind of probeKindNames) {
    for (const field of fieldsOfProbe(kind)) {
      t.ok(hasField(kind, field), `${kind} ${field}`)
    }
  }
})

t.test('a creation has no fields of other kinds of checks', async (t) => {
  const draft = { ...draftOf({}), name: 'DB', method: 'POST', send: 'PING' }
  const body = creationOf('ENDPOINT', { ...draft, url: 'tcp://db.example.com:5432' })
  t.match(body, { url: 'tcp://db.example.com:5432', send: 'PING' })
  t.notOk('method' in body || 'headers' in body || 'body' in body)
  t.notOk('send' in creationOf('ENDPOINT', { ...draft, url: 'https://a.example/' }))
})

const endpoint = {
  id: 'c',
  type: 'ENDPOINT',
  name: 'API',
  description: null,
  parentComponentId: null,
  dependsOn: [],
  icon: null,
  showIconOnStatusPage: true,
  isEnabled: true,
  isMuted: false,
  url: 'https://a.example/',
  method: 'GET',
  headers: { 'X-Api-Key': REDACTED, Accept: 'text/html' },
  body: null,
  conditions: [{ type: 'STATUS_CODE', comparator: 'EQUALS', target: '200' }],
  checkInterval: 60,
  timeout: 10_000,
  autoCreateIncident: false,
  failureThreshold: 3,
  autoResolve: true,
  recoveryThreshold: 2,
  locations: ['eu', 'us'],
  locationQuorum: null,
} as unknown as ComponentData

t.test('an unchanged draft sends nothing', async (t) => {
  t.same(patchOf(endpoint, draftOf(endpoint)), {})
})

t.test('changed fields are sent as the API takes them', async (t) => {
  const draft = {
    ...draftOf(endpoint),
    name: 'Web',
    description: 'Text',
    checkInterval: '30',
    timeout: '',
    failureThreshold: 'many',
    locations: 'eu',
    locationQuorum: '1',
    headers: [
      { key: 1, name: 'X-Api-Key', value: REDACTED },
      { key: 2, name: '', value: 'x' },
    ],
  }
  t.same(patchOf(endpoint, draft), {
    name: 'Web',
    description: 'Text',
    checkInterval: 30,
    timeout: null,
    failureThreshold: 'many',
    locations: ['eu'],
    locationQuorum: 1,
    headers: { 'X-Api-Key': REDACTED },
  })
})

t.test('a creation leaves defaults to the service', async (t) => {
  const body = creationOf('METRIC', {
    ...draftOf({}),
    name: 'Queue',
    query: 'q',
    integrationId: 'i',
  })
  t.match(body, { type: 'METRIC', name: 'Queue', query: 'q', integrationId: 'i' })
  t.notOk('pollingInterval' in body || 'url' in body || 'description' in body)
})

t.test('a conflict is a field that both have changed to different values', async (t) => {
  const current = { ...endpoint, name: 'Other', timeout: 5_000, checkInterval: 30 }
  const patch = { name: 'Mine', checkInterval: 30, method: 'HEAD' }
  t.same(conflictingFields(endpoint, current, patch), ['name'])
})

t.test('after a conflict, unchanged fields have the saved values', async (t) => {
  const current = { ...endpoint, name: 'Other', timeout: 5_000 }
  const draft = { ...draftOf(endpoint), name: 'Mine' }
  t.match(rebased(draft, endpoint, current), { name: 'Mine', timeout: '5000' })
})

t.test('after a save, changes since it was sent remain', async (t) => {
  const sent = { ...draftOf(endpoint), name: 'Sent ', headers: [{ key: 1, name: 'A', value: 's' }] }
  const saved = { ...endpoint, name: 'Sent', headers: { A: REDACTED } }
  t.same(patchOf(saved, savedDraft(sent, sent, saved)), {})
  const draft = { ...sent, description: 'Later' }
  t.same(patchOf(saved, savedDraft(draft, sent, saved)), { description: 'Later' })
})
