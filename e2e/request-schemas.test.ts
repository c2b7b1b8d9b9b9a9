/**
 * Request schemas of the OpenAPI document reject bodies that a service rejects for their form
 * alone.
 */
import { readFileSync } from 'node:fs'
import { REDACTED } from '@status-page/contracts'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'

const DOCUMENT = new URL('../packages/contracts/openapi.json', import.meta.url)
const JSON_TYPE = 'application/json'
const YAML_TYPE = 'application/yaml'

const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema(JSON.parse(readFileSync(DOCUMENT, 'utf8')), 'openapi')

const escaped = (step: string): string =>
  encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))

/** Validator of a request body, such as that of `POST /incidents`. */
const bodyOf = (operation: string, type = JSON_TYPE) => {
  const [method = '', path = ''] = operation.split(' ')
  const at = [`/api/v1${path}`, method.toLowerCase(), 'requestBody', 'content', type, 'schema']
  return ajv.compile({ $ref: `openapi#/paths/${at.map(escaped).join('/')}` })
}

interface Case {
  operation: string
  type?: string
  accepted: unknown[]
  refused: unknown[]
}

const newRelicWith = (apiKey: string) => ({
  name: 'New Relic',
  type: 'newrelic',
  config: { accountId: 1, apiKey },
})

const configuration = {
  apiVersion: 'v1',
  kind: 'StatusPageConfig',
  metadata: { name: 'acme', configVersion: '1' },
  spec: { components: [{ name: 'API', type: 'SERVICE' }] },
}

const cases: Case[] = [
  {
    operation: 'POST /incidents/{id}/updates',
    accepted: [{ message: 'Fixed.' }, { status: 'resolved' }],
    refused: [{}, { notifySubscribers: true }],
  },
  {
    operation: 'POST /maintenances/{id}/updates',
    accepted: [{ status: 'verifying' }],
    refused: [{}],
  },
  {
    operation: 'POST /integrations',
    accepted: [newRelicWith('key')],
    refused: [newRelicWith(''), newRelicWith(REDACTED)],
  },
  {
    operation: 'PATCH /integrations/{id}',
    accepted: [{ config: { apiKey: REDACTED } }, { config: { region: null } }],
    refused: [{ config: { apiKey: '' } }, { config: { region: '' } }, { config: { url: '' } }],
  },
  {
    operation: 'POST /organization/domains',
    accepted: [{ domain: 'status.example.com' }, { domain: 'müller.example' }],
    refused: [{ domain: 'localhost' }, { domain: '0.0' }, { domain: 'a..example' }],
  },
  {
    operation: 'PATCH /organization',
    accepted: [{ allowedEmailDomains: ['example.com'] }],
    refused: [{ allowedEmailDomains: ['-example.com'] }, { allowedEmailDomains: ['*.com'] }],
  },
  {
    operation: 'POST /subscribers/import',
    type: 'multipart/form-data',
    accepted: [{ file: 'type,email' }],
    refused: [{}, { file: '' }],
  },
  {
    operation: 'POST /config/apply',
    type: YAML_TYPE,
    accepted: [configuration],
    refused: ['apiVersion: v1', {}, { ...configuration, kind: 'Other' }],
  },
]

t.test(
  'a body that a service rejects for its form is invalid according to the document',
  async (t) => {
    for (const { operation, type, accepted, refused } of cases) {
      const validate = bodyOf(operation, type)
      for (const body of accepted) t.ok(validate(body), `${operation} ${JSON.stringify(body)}`)
      for (const body of refused) t.notOk(validate(body), `${operation} ${JSON.stringify(body)}`)
    }
  },
)
