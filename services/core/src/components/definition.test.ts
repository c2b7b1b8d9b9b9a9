/** Validation of components as a table of refused input, and the storage of secrets. */
import { type NewComponent, REDACTED } from '@status-page/contracts'
import t from 'tap'
import type { ComponentRow } from '../tables.ts'
import { buildDefinitionFields, changedFields } from './definition.ts'
import { headersOf } from './request-headers.ts'
import { auditComponent } from './rules.ts'

const seal = (name: string, value: string) => `sealed(${name},${value})`
const body = (more: object = {}) =>
  ({ type: 'ENDPOINT', name: 'API', url: 'https://a.example/', ...more }) as NewComponent
const fresh = (more: object) => buildDefinitionFields(body(more), { type: 'ENDPOINT' }, seal)

const refused: [name: string, input: object, field: string][] = [
  ['a timeout above the interval', { checkInterval: 10, timeout: 10_001 }, 'timeout'],
  ['a body that GET does not have', { body: 'x' }, 'body'],
  ['a body over 64 KiB', { method: 'POST', body: 'é'.repeat(40_000) }, 'body'],
  ['the Host header', { headers: { Host: 'b.example' } }, 'headers'],
  ['a hop-by-hop header', { headers: { 'Proxy-Authorization': 'x' } }, 'headers'],
  ['names that differ only in case', { headers: { 'X-A': '1', 'x-a': '2' } }, 'headers'],
  ['a line break in a header name', { headers: { 'X-A\r\nX-B': '1' } }, 'headers'],
  ['a line feed in a header name', { headers: { 'X-A\n': '1' } }, 'headers'],
  [
    'an order without a number',
    { conditions: [{ type: 'HEADER', comparator: 'LESS_THAN', target: 'x-count: many' }] },
    'conditions[0].target',
  ],
  ['a line break in a value', { headers: { 'X-A': 'a\r\nX-B: b' } }, 'headers'],
  ['the marker where nothing is stored', { headers: { 'X-Token': REDACTED } }, 'headers.X-Token'],
  [
    'a comparator that the type lacks',
    { conditions: [{ type: 'STATUS_CODE', comparator: 'CONTAINS', target: '200' }] },
    'conditions[0].comparator',
  ],
  [
    'a status code that is none',
    { conditions: [{ type: 'STATUS_CODE', comparator: 'EQUALS', target: '99' }] },
    'conditions[0].target',
  ],
  [
    'a body condition with HEAD',
    { method: 'HEAD', conditions: [{ type: 'JSON_PATH', comparator: 'EXISTS', target: '$.a' }] },
    'conditions[0].type',
  ],
  [
    'a certificate condition without TLS',
    {
      url: 'http://a.example/',
      conditions: [{ type: 'CERTIFICATE_DAYS', comparator: 'GREATER_THAN', target: '14' }],
    },
    'conditions[0].type',
  ],
  [
    'a status code of a TCP check',
    {
      url: 'tcp://a.example:5432',
      conditions: [{ type: 'STATUS_CODE', comparator: 'EQUALS', target: '200' }],
    },
    'conditions[0].type',
  ],
  [
    'a banner of a TLS check',
    {
      url: 'tls://a.example:443',
      conditions: [{ type: 'BANNER', comparator: 'CONTAINS', target: 'x' }],
    },
    'conditions[0].type',
  ],
  ['a method of a TCP check', { url: 'tcp://a.example:5432', method: 'POST' }, 'method'],
  ['a text to send of an HTTP check', { send: 'PING' }, 'send'],
  ['a text to send to an FTP server', { url: 'tcp://a.example:21', send: 'USER a' }, 'send'],
  ['a heartbeat with a URL', { kind: 'heartbeat', periodSeconds: 60 }, 'url'],
  ['a period of an HTTP check', { periodSeconds: 60 }, 'periodSeconds'],
  ['a heartbeat without a schedule', { kind: 'heartbeat', url: undefined }, 'periodSeconds'],
  [
    'a heartbeat with two schedules',
    {
      kind: 'heartbeat',
      url: undefined,
      periodSeconds: 60,
      schedule: { cron: '0 2 * * *', timezone: 'UTC' },
    },
    'schedule',
  ],
  [
    'a schedule that never fires',
    { kind: 'heartbeat', url: undefined, schedule: { cron: '0 0 30 2 *', timezone: 'UTC' } },
    'schedule.cron',
  ],
  [
    'a schedule with seconds',
    { kind: 'heartbeat', url: undefined, schedule: { cron: '* * * * * *', timezone: 'UTC' } },
    'schedule.cron',
  ],
  [
    'an interval of a heartbeat',
    { kind: 'heartbeat', url: undefined, periodSeconds: 60, checkInterval: 30 },
    'checkInterval',
  ],
  [
    'locations of a heartbeat',
    { kind: 'heartbeat', url: undefined, periodSeconds: 60, locations: ['eu'] },
    'locations',
  ],
  [
    'a minimum above the maximum of a run',
    {
      kind: 'heartbeat',
      url: undefined,
      periodSeconds: 60,
      minRunSeconds: 61,
      maxRunSeconds: 60,
    },
    'minRunSeconds',
  ],
  ['a path of a TCP check', { url: 'tcp://a.example:5432/a' }, 'url'],
  ['a DNS check without a name', { url: 'dns://192.0.2.53' }, 'url'],
  ['a DNS check of an unknown type', { url: 'dns://192.0.2.53/a.example?type=AXFR' }, 'url'],
  ['a DNS check with another parameter', { url: 'dns://192.0.2.53/a.example?a=b' }, 'url'],
  [
    'a record of a TCP check',
    {
      url: 'tcp://a.example:5432',
      conditions: [{ type: 'DNS_RECORD', comparator: 'EQUALS', target: '192.0.2.1' }],
    },
    'conditions[0].type',
  ],
  ['a path of an ICMP check', { url: 'icmp://a.example/a' }, 'url'],
  ['a port of a domain check', { url: 'domain://a.example:43' }, 'url'],
  ['an address of a domain check', { url: 'domain://192.0.2.1' }, 'url'],
  ['a query of a TLS check', { url: 'tls://a.example:443?a' }, 'url'],
]

for (const [name, input, field] of refused) {
  t.test(`refused: ${name}`, async (t) => {
    t.throws(() => fresh(input), { code: 'VALIDATION_ERROR', details: { field } })
  })
}

t.test('credential headers are sealed, other headers remain readable', async (t) => {
  const { endpoint } = fresh({ headers: { Accept: 'a/b', Authorization: 'Bearer x' } })
  t.same(headersOf(endpoint), [
    { name: 'Accept', value: 'a/b', sealedValue: null },
    { name: 'Authorization', value: null, sealedValue: 'sealed(Authorization,Bearer x)' },
  ])
})

const stored = {
  type: 'ENDPOINT' as const,
  ...fresh({ headers: { 'X-Api-Key': 'k', 'X-B': 'b' } }),
}

t.test('the marker retains the stored secret, whatever the case of the header name', async (t) => {
  const next = buildDefinitionFields({ headers: { 'x-api-key': REDACTED } }, stored, seal)
  t.same(headersOf(next.endpoint), [
    { name: 'x-api-key', value: null, sealedValue: 'sealed(X-Api-Key,k)' },
  ])
})

t.test('a new secret appears in the audit log as a change of the marker', async (t) => {
  const before = stored as unknown as ComponentRow
  const changesBy = (headers: Record<string, string>) => {
    const after = { ...before, ...buildDefinitionFields({ headers }, stored, seal) }
    return auditComponent('update', before, after).changes
  }
  const shown = { 'X-Api-Key': REDACTED, 'X-B': 'b' }
  t.same(changesBy({ ...shown, 'X-Api-Key': 'new' }), { headers: { from: shown, to: shown } })
  t.same(changesBy(shown), {})
})

t.test('a new URL requires the stored secrets again', async (t) => {
  const url = 'https://evil.example/'
  const refusal = { code: 'VALIDATION_ERROR', details: { field: 'headers' } }
  t.throws(() => buildDefinitionFields({ url }, stored, seal), refusal)
  t.throws(
    () => buildDefinitionFields({ url, headers: { 'X-Api-Key': REDACTED } }, stored, seal),
    refusal,
  )
  const renewed = buildDefinitionFields({ url, headers: { 'X-Api-Key': 'k2' } }, stored, seal)
  t.match(renewed.endpoint, { url })
  const emptied = buildDefinitionFields({ url, headers: {} }, stored, seal)
  t.same(headersOf(emptied.endpoint), [])
  const { url: storedUrl } = stored.endpoint as { url: string }
  t.same(
    buildDefinitionFields({ url: storedUrl }, stored, seal),
    buildDefinitionFields({}, stored, seal),
  )
})

t.test('a check becomes a heartbeat by its kind, and polls again by a URL', async (t) => {
  const stored = { type: 'ENDPOINT' as const, ...fresh({}) }
  const patch = { kind: 'heartbeat', periodSeconds: 60 } as const
  const { endpoint } = buildDefinitionFields(patch, stored, seal)
  t.same(endpoint, {
    kind: 'heartbeat',
    schedule: null,
    periodSeconds: 60,
    startGraceSeconds: 60,
    maxRunSeconds: null,
    minRunSeconds: null,
    autoCreateIncident: false,
    autoResolve: true,
  })
  const waiting = { ...stored, endpoint }
  t.match(buildDefinitionFields({ maxRunSeconds: 9 }, waiting, seal).endpoint, {
    kind: 'heartbeat',
    periodSeconds: 60,
    maxRunSeconds: 9,
  })
  const url = 'tcp://a.example:5432'
  t.match(buildDefinitionFields({ url }, waiting, seal).endpoint, { kind: 'tcp', url })
  t.throws(() => buildDefinitionFields({ kind: null }, waiting, seal), {
    code: 'VALIDATION_ERROR',
    details: { field: 'url' },
  })
})

t.test('null restores the default, and only different values count as changes', async (t) => {
  const slow = { ...stored, ...buildDefinitionFields({ timeout: 500, order: 7 }, stored, seal) }
  const after = buildDefinitionFields({ timeout: null, order: null, name: slow.name }, slow, seal)
  t.match(after.endpoint, { timeout: 10_000 })
  t.same(changedFields(slow, after), ['order', 'timeout'])
})

t.test('fields of another type are ignored', async (t) => {
  t.equal(buildDefinitionFields(body({ url: 'x' }), { type: 'SERVICE' }, seal).endpoint, null)
})
