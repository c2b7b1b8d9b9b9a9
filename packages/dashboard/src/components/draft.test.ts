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
import { conflictingFields, creationOf, draftOf, fieldsByType, patchOf, rebased } from './draft.ts'
import type { ComponentData } from './tree.ts'

/** Fields that the editor does not offer: those of heartbeats are set through the API. */
const notOffered = new Set(['kind', ...fieldsOfProbe('heartbeat')])

t.test('every type has the fields of the contract, without those of heartbeats', async (t) => {
  t.equal(REDACTED, marker)
  for (const type of componentTypes) {
    const offered = fieldsOfType(type).filter((field) => !notOffered.has(field))
    t.same([...fieldsByType[type]].sort(), offered.sort(), type)
  }
})

t.test('changes of a heartbeat are sent without settings of requests', async (t) => {
  const job = { id: 'j', type: 'ENDPOINT', kind: 'heartbeat', name: 'Backup', autoResolve: true }
  const base = job as unknown as ComponentData
  t.same(patchOf(base, draftOf(base)), {})
  t.same(patchOf(base, { ...draftOf(base), autoResolve: false }), { autoResolve: false })
})

t.test('the scheme of an address selects the kind of a check', async (t) => {
  for (const scheme of checkSchemes) {
    t.equal(checkKindOf(`${scheme}://a`), probeKindOf({ url: `${scheme}://a` }))
  }
  for (const kind of probeKindNames) {
    for (const field of fieldsOfProbe(kind)) {
      t.equal(hasField(kind, field), !['url', 'conditions'].includes(field), `${kind} ${field}`)
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
