/** No input causes an internal error: every response of every operation has a status below 500. */
import {
  componentOperations,
  incidentOperations,
  incidentTemplateOperations,
  maintenanceOperations,
  maintenanceTemplateOperations,
  type Operation,
  oncallAlertOperations,
  oncallScheduleOperations,
  postmortemOperations,
  publicOperations,
  slaOperations,
  statusPageOperations,
  subscriberOperations,
  subscriptionOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import fc from 'fast-check'
import t from 'tap'
import { coreKit } from './core.fixture.ts'

const kit = await coreKit(t)
const operations: readonly Operation[] = [
  componentOperations,
  incidentOperations,
  incidentTemplateOperations,
  postmortemOperations,
  slaOperations,
  maintenanceOperations,
  maintenanceTemplateOperations,
  subscriberOperations,
  subscriptionOperations,
  statusPageOperations,
  publicOperations,
  oncallScheduleOperations,
  oncallAlertOperations,
].flatMap((group) => Object.values(group as Record<string, Operation>))

const { caller, request, organizationId } = kit.as()
const { body: component } = await request(componentOperations.create, {
  body: { type: 'ENDPOINT', name: 'API', url: 'https://93.184.215.14/' },
})
const { body: incident } = await request(incidentOperations.create, { body: { title: 'x' } })
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
const { body: maintenance } = await request(maintenanceOperations.create, {
  body: { title: 'x', scheduledFor: inHours(1), scheduledUntil: inHours(2) },
})

/** Property names of a schema, in all its variants. */
const namesIn = (schema: unknown): string[] => {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {}, oneOf = [] } = schema as { properties?: object; oneOf?: unknown[] }
  return [...Object.keys(properties), ...oneOf.flatMap(namesIn)]
}

const poison = fc.oneof(
  fc.constantFrom<unknown>(null, '', ' ', 0, -1, 1e308, 2 ** 53, true, [], {}, '\u0000', '\ud800'),
  fc.constantFrom<unknown>('%', '_', "' OR 1=1 --", '\\', '../..', 'a'.repeat(3000), newId()),
  fc.constantFrom<unknown>('SERVICE', 'ENDPOINT', 'METRIC', 'email', 'sms', 'webhook', 'resolved'),
  fc.constantFrom<unknown>([null], [[]], ['x'], [newId(), newId()], { x: null }, { '': '' }),
  fc.constantFrom<unknown>(
    { nonsense: 'operational' },
    { [newId()]: 'operational' },
    { a: 'b\nc' },
  ),
  fc.constantFrom<unknown>(component.id, incident.id, maintenance.id, {
    [component.id]: 'major_outage',
  }),
  fc.constantFrom<unknown>(inHours(-1), inHours(3), { rrule: 'FREQ=DAILY' }, { rrule: ';=' }),
  fc.constantFrom<unknown>('https://93.184.215.14/', '+14155552671', 'a@x.com', 'slug-1', 'UTC'),
  fc.jsonValue({ maxDepth: 2 }),
)

const inputFor = (operation: Operation) => {
  const bodyNames = namesIn(operation.body)
  const queryNames = namesIn(operation.query)
  const record = (names: string[]) =>
    names.length === 0
      ? fc.constant({})
      : fc.dictionary(fc.constantFrom(...names), poison, {
          maxKeys: names.length,
          noNullPrototype: true,
        })
  return fc.record({
    id: fc.constantFrom(
      ...[component.id, incident.id, maintenance.id],
      newId(),
      'no',
      '%00',
      '\u0000',
      "'",
    ),
    body: fc.oneof(record(bodyNames), poison),
    query: record(queryNames).map((query) =>
      Object.fromEntries(
        Object.entries(query).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
        ]),
      ),
    ),
  })
}

for (const operation of operations) {
  t.test(`${operation.id} accepts any input of its schema`, async () => {
    kit.scriptMonitor(() => ({ targets: [] }))
    const property = fc.asyncProperty(inputFor(operation), async ({ id, body, query }) => {
      const isPublic = operation.permission === 'public'
      const { status, body: reply } = await kit.request(operation, {
        ...(isPublic ? {} : { caller }),
        params: { id, slug: id, token: id, overrideId: id },
        query,
        ...(operation.body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      if (status >= 500) throw new Error(`${status} ${JSON.stringify(reply)}`)
    })
    await fc.assert(property, { numRuns: 60, endOnFailure: true })
  })
}

t.test('the organization is still consistent', async (t) => {
  await kit.outbox(organizationId)
  t.equal((await request(componentOperations.list)).status, 200)
  t.equal((await request(incidentOperations.list)).status, 200)
})
