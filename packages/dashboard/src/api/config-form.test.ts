/** Forms are derived from the schemas of the contract. */
import t from 'tap'
import { channelForms, integrationForms } from './contract-forms.ts'

t.test('a field has the kind, limits and default of its schema', async (t) => {
  const fields = new Map(
    [...channelForms.email.fields, ...channelForms.webhook.fields].map((one) => [one.name, one]),
  )
  const text = { isSecret: false, isRequired: false, maxLength: null, choices: [], default: null }
  const cases = {
    smtpHost: { ...text, kind: 'text', isRequired: true, maxLength: 253 },
    smtpPort: { ...text, kind: 'number', maxLength: 5, default: 587 },
    secure: { ...text, kind: 'boolean', default: false },
    password: { ...text, kind: 'text', isSecret: true, maxLength: 256 },
    recipients: { ...text, kind: 'list' },
    method: { ...text, kind: 'choice', choices: ['POST', 'PUT', 'PATCH'], default: 'POST' },
    headers: { ...text, kind: 'headers', isSecret: true },
    bodyTemplate: { ...text, kind: 'longText', maxLength: 65_536 },
  } as const
  for (const [name, expected] of Object.entries(cases)) {
    t.same(fields.get(name as keyof typeof cases), { name, ...expected }, name)
  }
})

t.test('the proper name of a kind is the title of its schema', async (t) => {
  t.equal(channelForms.teams.title, 'Microsoft Teams')
  t.equal(integrationForms.newrelic.title, 'New Relic')
})

t.test('values are JSON, so that the build can replace the module', async (t) => {
  const values = { channelForms, integrationForms }
  t.strictSame(JSON.parse(JSON.stringify(values)), values)
})
