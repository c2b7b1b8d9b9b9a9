/** Content types of bodies are those of the contract; every other one is 415. */
import {
  alertHookOperations,
  channelHookOperations,
  configurationOperations,
  gitHookOperations,
  type Operation,
} from '@status-page/contracts'
import Fastify from 'fastify'
import t from 'tap'
import { installBodyParser } from './body.ts'
import { errorHandler } from './error-handler.ts'

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'
const yamlTypes = ['application/yaml', 'application/x-yaml', 'text/yaml']
const others = ['text/plain', 'application/octet-stream', 'application/xml', 'multipart/form-data']
const all = [JSON_TYPE, FORM_TYPE, ...yamlTypes, ...others]

const allowed: [Operation, string[]][] = [
  [configurationOperations.validate, yamlTypes],
  [configurationOperations.apply, yamlTypes],
  [gitHookOperations.git, [JSON_TYPE]],
  [alertHookOperations.alerts, [JSON_TYPE]],
  [channelHookOperations.bounce, [JSON_TYPE]],
  [channelHookOperations.sms, [FORM_TYPE]],
  [channelHookOperations.smsStatus, [FORM_TYPE]],
]

t.test(
  'documents are YAML, signed hooks JSON, text messages forms, and nothing else',
  async (t) => {
    const http = Fastify()
    t.teardown(() => http.close())
    http.setErrorHandler(errorHandler)
    installBodyParser(http)
    for (const [operation] of allowed) {
      const { id, method } = operation
      http.route({ method, url: `/${id}`, config: { operation }, handler: async () => ({}) })
    }
    for (const [{ id, method }, types] of allowed) {
      for (const type of all) {
        const headers = { 'content-type': type }
        const response = await http.inject({ method, url: `/${id}`, headers, payload: '{"a":1}' })
        t.equal(response.statusCode, types.includes(type) ? 200 : 415, `${id} ${type}`)
      }
    }
  },
)
