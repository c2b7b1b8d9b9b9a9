/** The operations of components, status by status, over a real database. */
import { AppError, checkOperations, componentOperations as on, REDACTED } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { assertTenantCatalogue, testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../core.test-kit.ts'

const kit = await coreKit(t)

const service = (name: string, more: object = {}) => ({ type: 'SERVICE', name, ...more })
const endpoint = (more: object = {}) => ({
  type: 'ENDPOINT',
  name: 'API',
  url: 'https://93.184.215.14/health',
  ...more,
})

t.test('the schema guards every tenant table', (t) => assertTenantCatalogue(t, kit.adminUrl, 'core'))

t.test('a created component has the defaults of the contract and tells the world once', async (t) => {
  const { ask, organizationId } = kit.as()
  const { status, body } = await ask(on.create, { body: endpoint() })
  t.equal(status, 201)
  t.match(body, {
    ...{ status: 'operational', statusSource: 'manual', method: 'GET', headers: {}, body: null },
    ...{ checkInterval: 60, timeout: 10_000, conditions: [], autoCreateIncident: false },
    ...{ failureThreshold: 3, autoResolve: true, recoveryThreshold: 2, isEnabled: true },
    ...{ averageResponseTime: null, lastCheckAt: null, parentComponentId: null, order: 0 },
  })
  const { events, audit } = await kit.outbox(organizationId)
  t.match(events, [{ kind: 'component.created', version: 1, aggregate: body.id }])
  t.same(audit, ['component.create'])
  t.notOk('autoResolve' in events[0]?.data.component.endpoint)
  const read = await ask(on.read, { params: { id: body.id } })
  t.equal(read.status, 200)
  t.equal(read.body.uptimePercentage, 100)
})
