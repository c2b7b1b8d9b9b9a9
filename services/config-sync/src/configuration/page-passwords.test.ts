// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of documents look so
/** Passwords of status pages in a document: references, compared by a digest. */
import {
  configurationOperations as config,
  REDACTED,
  type SealedPagePassword,
  variableOperations as variables,
} from '@status-page/contracts'
import { createPasswords, pagePasswordContext, pagePasswordDigest } from '@status-page/secrets'
import t from 'tap'
import { configSyncKit, definedAs } from '../config-sync.fixture.ts'

const kit = await configSyncKit(t)

const DOCUMENT = `apiVersion: v1
kind: StatusPageConfig
metadata:
  name: production
  configVersion: "1"
spec:
  statusPages:
    - slug: acme
      name: Acme
      visibility: password
      # Given to partners.
      password: \${PAGE_PASSWORD}
`

const PASSWORD = 'the-first-password'

const organization = async (password: string | null = PASSWORD) => {
  const own = kit.as()
  const owned = kit.owners.of(own.organizationId)
  const set = (value: string) =>
    own.ask(variables.set, { params: { name: 'PAGE_PASSWORD' }, body: { value } })
  if (password !== null) await set(password)
  const apply = (body = DOCUMENT, query: Record<string, unknown> = {}) =>
    own.ask(config.apply, { body, query })
  const drift = async () => (await own.ask(config.drift)).body.drift
  const exported = async () => (await own.ask(config.export)).body
  const page = () => owned.definitions.get('status_page')?.[0]
  /** Changes the stored password as the API does. */
  const change = (text: string | null) => {
    const { id = '', fields } = page() ?? {}
    const context = pagePasswordContext(own.organizationId, id)
    const digest = text === null ? null : kit.sealer.seal(pagePasswordDigest(id, text), context)
    owned.definitions.set('status_page', [definedAs(id, { ...fields, password: digest })])
  }
  return { ...own, owned, set, apply, drift, exported, page, change }
}

/** Password in the last batch that core received. */
const sentPassword = (mode: 'dry-run' | 'apply'): SealedPagePassword => {
  const { batch } = kit.owners.calls.findLast((call) => call.batch.mode === mode) ?? {}
  const { definitions } = batch as never as {
    definitions: Record<string, { create: { value: object }[]; update: { value: object }[] }>
  }
  const { create = [], update = [] } = definitions.status_page ?? {}
  return [...create, ...update][0]?.value['password' as never] as unknown as SealedPagePassword
}

t.test('an applied password is hashed, and exported as its reference', async (t) => {
  const { apply, drift, exported, page, organizationId } = await organization()
  const applied = await apply()
  t.equal(applied.status, 200, JSON.stringify(applied.body))
  const context = pagePasswordContext(organizationId, page()?.id ?? '')
  const hash = kit.sealer.open(sentPassword('apply').hash, context)
  t.equal(await createPasswords().matches(PASSWORD, hash), true)
  t.equal(kit.sealer.open(sentPassword('dry-run').hash, context), hash)
  t.notMatch(JSON.stringify(kit.owners.calls), PASSWORD)
  t.match((await apply()).body, { updated: [], unchanged: 1 })
  t.same(await drift(), [])
  t.equal(await exported(), DOCUMENT)
  const rows = await kit.database.batchSql`SELECT * FROM applies`
  t.notMatch(JSON.stringify(rows), PASSWORD)
})

t.test('a dry run hashes nothing', async (t) => {
  const { apply, organizationId } = await organization()
  t.equal((await apply(DOCUMENT, { dryRun: true })).status, 200)
  const { batch } = kit.owners.calls.at(-1) ?? {}
  const created = (batch as never as { definitions: Record<string, { create: { id: string }[] }> })
    .definitions.status_page?.create[0]
  const context = pagePasswordContext(organizationId, created?.id ?? '')
  t.equal(kit.sealer.open(sentPassword('dry-run').hash, context), '')
})

t.test('another password of the variable or of the page is a change', async (t) => {
  const { apply, drift, exported, set, change } = await organization()
  await apply()
  const modified = [{ resourceName: 'acme', reason: 'modified', fields: ['password'] }]
  await set('the-second-password')
  t.match(await drift(), modified)
  t.match(await exported(), `password: "${REDACTED}"`)
  t.match((await apply()).body.updated, [{ resourceName: 'acme', fields: ['password'] }])
  t.same(await drift(), [])
  change('changed in the dashboard')
  t.match(await drift(), modified)
  const text = await exported()
  t.match(text, `password: "${REDACTED}"`)
  t.match((await apply(text)).body, { updated: [], unchanged: 1 }, 'the marker keeps it')
  t.match((await apply()).body.updated, [{ fields: ['password'] }])
})

t.test('null removes the password, and an absent field keeps it', async (t) => {
  const { apply, page, exported, drift } = await organization()
  await apply()
  const open = DOCUMENT.replace('visibility: password', 'visibility: public')
  const absent = open.replace(/ +password: .*\n/, '')
  await apply(absent)
  t.type(page()?.fields.password, 'string')
  t.match(await exported(), `password: "${REDACTED}"`)
  const removed = open.replace('${PAGE_PASSWORD}', 'null')
  t.match((await apply(removed)).body.updated, [{ fields: ['password'] }])
  t.equal(page()?.fields.password, null)
  t.equal(await exported(), removed)
  t.same(await drift(), [])
})

t.test('problems have the path and the line of the password', async (t) => {
  const { ask, apply, set, owned } = await organization(null)
  const field = 'spec.statusPages[0].password'
  const problem = { status: 400, body: { error: { details: { issues: [{ field, line: 12 }] } } } }
  t.match((await ask(config.validate, { body: DOCUMENT })).body, {
    valid: true,
    warnings: ['${PAGE_PASSWORD} is not set (line 12)'],
  })
  t.match(await apply(), problem, 'an unknown variable')
  for (const value of ['short', 'x'.repeat(73)]) {
    await set(value)
    const response = await apply()
    t.match(response, problem, value)
    t.notMatch(JSON.stringify(response.body), value)
  }
  const wrong = [
    'a-literal-password',
    '"${PAGE_PASSWORD} "',
    `"${REDACTED}"`,
    '12345678',
    '[ "${A}" ]',
  ]
  for (const text of wrong) {
    const response = await apply(DOCUMENT.replace('${PAGE_PASSWORD}', text))
    t.match(response, problem, text)
  }
  t.equal(owned.definitions.size, 0)
})
