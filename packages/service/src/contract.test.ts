/**
 * Every operation of the contract can be served: its schemas are valid and compile, its replies
 * serialise.
 */
import { events, operations, services } from '@status-page/contracts'
import { Ajv } from 'ajv'
import t from 'tap'
import { testApp } from './contract.test-kit.ts'
import { compileValidator } from './validate.ts'

for (const service of services) {
  t.test(`the operations of ${service} are served, each with its authorization`, async (t) => {
    const own = operations.filter((operation) => operation.service === service)
    const routes = own.map((operation) => ({ operation, handler: async () => ({}) }))
    const { app } = testApp(t, { service, routes })
    app.get('/serialisers', async (_request, reply) => {
      for (const one of own) reply.compileSerializationSchema(one.reply, String(one.status))
      return 'all of them'
    })
    t.equal((await app.inject('/serialisers')).body, 'all of them')
    for (const { id, params, query, body } of own) {
      for (const schema of [params, query, body].filter((one) => one !== undefined)) {
        t.doesNotThrow(() => compileValidator(schema, 'value')(undefined), id)
      }
    }
    for (const { id, method, path, base } of own) {
      const url = `${base === 'root' ? '' : '/api/v1'}${path.replaceAll(/\{\w+\}/g, 'x')}`
      const response = await app.inject({ method, url })
      t.equal(response.statusCode, 401, `${id} without a caller`)
    }
  })
}

t.test('every schema of an operation or event conforms to JSON Schema', async (t) => {
  const ajv = new Ajv()
  const isValid = (schema: object) => ajv.validateSchema(schema) === true
  t.notOk(isValid({ type: 'string', minLength: '3' }))
  for (const { id, params, query, body, reply } of operations) {
    for (const schema of [params, query, body, reply].filter((one) => one !== undefined)) {
      t.ok(isValid(schema), `${id}: ${ajv.errorsText()}`)
    }
  }
  for (const { kind, data } of events) t.ok(isValid(data), `${kind}: ${ajv.errorsText()}`)
})
