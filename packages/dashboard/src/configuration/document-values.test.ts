/** Fields of a plan with their values in a document. */
import t from 'tap'
import { fieldReader } from './document-values.ts'

const source = `
spec:
  components:
    - name: API
      url: https://api.example.com
      conditions:
        - type: STATUS_CODE
  integrations:
    - name: metrics
      config:
        site: datadoghq.eu
  statusPages:
    - slug: acme
      name: Acme
`

t.test('a field has the value of its resource', async (t) => {
  const read = fieldReader(source)
  const component = (resourceName: string, field: string) =>
    read({ resourceType: 'component', resourceName, field })
  t.equal(component('API', 'url'), 'https://api.example.com')
  t.equal(component('API', 'conditions'), '[{"type":"STATUS_CODE"}]')
  t.equal(component('API', 'timeout'), null)
  t.equal(component('Other', 'url'), null)
  const site = {
    resourceType: 'integration',
    resourceName: 'metrics',
    field: 'config.site',
  } as const
  t.equal(read(site), 'datadoghq.eu')
  t.equal(read({ resourceType: 'status_page', resourceName: 'acme', field: 'name' }), 'Acme')
})

t.test(
  'a document that cannot be parsed has no values, and a long value is shortened',
  async (t) => {
    const address = { resourceType: 'component', resourceName: 'API', field: 'url' } as const
    t.equal(fieldReader('a: [')(address), null)
    const long = fieldReader(`spec: {components: [{name: API, url: ${'x'.repeat(500)}}]}`)(address)
    t.equal(long, `${'x'.repeat(160)} …`)
  },
)
