/**
 * Settings of Git sync are validated as a whole; secrets are bound to their repository and never
 * returned.
 */
import { generateKeyPairSync } from 'node:crypto'
import { gitSyncOperations as operations, REDACTED } from '@status-page/contracts'
import { read as readIn } from '@status-page/postgres'
import { createSealer } from '@status-page/secrets'
import { assertTenantCatalogue, testCaller } from '@status-page/testing'
import t from 'tap'
import { gitSyncKit } from './git-sync.fixture.ts'
import { encryptedGitSyncs } from './key-rotation.ts'
import { decryptCredential, validWebhookSecrets } from './secrets.ts'
import { findGitSync } from './store.ts'

const kit = await gitSyncKit(t)
const url = 'https://git.example.com/acme/status.git'

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})

t.test('every tenant table has row-level security', async (t) => {
  await assertTenantCatalogue(t, kit.adminUrl, 'config_sync')
})

t.test(
  'one Git sync per organization, with defaults, and the secret is returned once',
  async (t) => {
    const { ask, set, read, audit } = kit.as()
    t.equal((await ask(operations.read)).status, 404)
    t.equal((await ask(operations.history)).status, 404)
    t.equal((await ask(operations.sync)).status, 404)
    const { status, body } = await set({ repositoryUrl: url })
    t.equal(status, 201)
    t.match(body, {
      provider: 'generic',
      repositoryUrl: url,
      branch: 'main',
      configPath: 'statuspage.yaml',
      authMethod: 'none',
      autoSync: false,
      writeBack: false,
      lastSyncAt: null,
      lastSyncStatus: null,
      proposal: null,
      webhookUrl: /^https:\/\/status\.test\/api\/v1\/hooks\/git\/[0-9a-f]{32}$/,
      webhookSecret: /^[\w-]{43}$/,
    })
    const { webhookSecret: _, ...rest } = body
    t.same(await read(), rest)
    t.match(await set({ repositoryUrl: url }), {
      status: 409,
      body: { error: { details: { reason: 'duplicate' } } },
    })
    t.equal((await ask(operations.remove)).status, 200)
    t.equal((await ask(operations.read)).status, 404)
    t.same(
      (await audit()).map(({ action }) => action),
      ['git_sync.create', 'git_sync.delete'],
    )
  },
)

t.test('saving requires the permissions of everything that a sync may change', async (t) => {
  const needed = [
    'components:write',
    'integrations:write',
    'status-pages:write',
    'incidents:write',
    'maintenances:write',
    'sla:write',
    'notifications:write',
    'oncall:write',
  ] as const
  const held = ['config:write', ...needed] as const
  for (const permission of needed) {
    const permissions = held.filter((one) => one !== permission)
    const { set, ask } = kit.as(testCaller({ permissions }))
    const refused = { status: 403, body: { error: { details: { permission } } } }
    t.match(await set({ repositoryUrl: url }), refused)
    t.match(await ask(operations.update, { body: { autoSync: true } }), refused)
  }
  const { set } = kit.as(testCaller({ permissions: held }))
  t.equal((await set({ repositoryUrl: url })).status, 201)
})

t.test('incomplete or unsafe settings are rejected per field', async (t) => {
  const { ask } = kit.as()
  const ssh = 'git@git.example.com:acme/status.git'
  const cases: [string, object][] = [
    ['repositoryUrl', { repositoryUrl: 'http://git.example.com/a' }],
    ['repositoryUrl', { repositoryUrl: 'https://169.254.169.254/a' }],
    ['repositoryUrl', { repositoryUrl: '--upload-pack=touch /tmp/x' }],
    ['branch', { branch: '--all' }],
    ['branch', { branch: 'status-page/changes' }],
    ['configPath', { configPath: '../secrets.yaml' }],
    ['configPath', { configPath: 'status.json' }],
    [
      'authMethod',
      { authMethod: 'app', credential: { appId: '1', installationId: '2', privateKey } },
    ],
    ['authMethod', { repositoryUrl: ssh }],
    ['authMethod', { repositoryUrl: ssh, authMethod: 'token', credential: { token: 'x' } }],
    ['writeBack', { writeBack: true }],
    ['credential.token', { authMethod: 'token' }],
    ['credential.token', { authMethod: 'token', credential: { token: 'a\nb' } }],
    ['credential.token', { authMethod: 'token', credential: { token: REDACTED } }],
    [
      'credential.knownHosts',
      { repositoryUrl: ssh, authMethod: 'ssh_key', credential: { privateKey } },
    ],
    [
      'credential.privateKey',
      {
        repositoryUrl: ssh,
        authMethod: 'ssh_key',
        credential: { privateKey: 'x', knownHosts: 'h ssh-ed25519 A' },
      },
    ],
  ]
  for (const [field, change] of cases) {
    const body = { provider: 'generic', repositoryUrl: url, ...change }
    const response = await ask(operations.create, { body })
    t.match(response, { status: 400, body: { error: { details: { field } } } }, field)
  }
  const app = { authMethod: 'app', credential: { appId: 'x', installationId: '2', privateKey } }
  const github = { provider: 'github', repositoryUrl: 'https://github.com/a/b', ...app }
  t.match(await ask(operations.create, { body: github }), {
    body: { error: { details: { field: 'credential.appId' } } },
  })
  t.equal((await ask(operations.read)).status, 404, 'nothing was stored')
})

t.test(
  'a public host needs no known hosts, and every credential is stored encrypted',
  async (t) => {
    const { organizationId, ask, set } = kit.as()
    const created = await set({
      provider: 'github',
      repositoryUrl: 'git@github.com:acme/status.git',
      authMethod: 'ssh_key',
      credential: { privateKey },
    })
    t.equal(created.status, 201)
    t.notMatch(JSON.stringify(created.body), /PRIVATE KEY/)
    const [row] = await kit.admin`SELECT * FROM config_sync.git_syncs
    WHERE organization_id = ${organizationId}`
    t.match(row?.credential, /^v1\./)
    t.match(row?.webhook_secret, /^v1\./)
    t.notMatch(
      JSON.stringify(await kit.as({ ...kit.as().caller, organizationId }).audit()),
      /PRIVATE/,
    )
    t.equal((await ask(operations.update, { body: { branch: 'other' } })).status, 200)
  },
)

t.test(
  'the marker retains a secret; another repository requires it again and gets a new webhook secret',
  async (t) => {
    const { ask, set, read, audit } = kit.as()
    const created = await set({
      repositoryUrl: url,
      authMethod: 'token',
      credential: { token: 'first' },
    })
    t.equal(created.status, 201)
    const update = (body: object) => ask(operations.update, { body })
    const before = await read()
    t.same((await update({ credential: { token: REDACTED } })).body, before, 'nothing changed')
    t.same((await update({ branch: 'main' })).body.updatedAt, before.updatedAt)
    const moved = 'https://git.example.com/evil/status.git'
    const refused = { status: 400, body: { error: { details: { field: 'credential.token' } } } }
    t.match(await update({ repositoryUrl: moved }), refused)
    t.match(await update({ repositoryUrl: moved, credential: { token: REDACTED } }), refused)
    const to = await update({ repositoryUrl: moved, credential: { token: 'second' } })
    t.equal(to.status, 200)
    t.match(to.body.webhookSecret, /^[\w-]{43}$/)
    t.not(to.body.webhookSecret, created.body.webhookSecret)
    t.equal((await read()).webhookSecret, undefined)
    const open = await update({ authMethod: 'none' })
    t.equal(open.status, 200)
    t.match(await update({ authMethod: 'token' }), refused, 'the credential was dropped')
    const auditText = JSON.stringify(await audit())
    t.notMatch(auditText, /first|second/)
    t.match(auditText, new RegExp(REDACTED.replaceAll('*', '\\*')))
  },
)

t.test('a previous secret stays valid for a day', async (t) => {
  const { ask, set } = kit.as()
  const created = (await set({ repositoryUrl: url, autoSync: true })).body
  const rotated = await ask(operations.rotateSecret)
  t.equal(rotated.status, 200)
  t.not(rotated.body.webhookSecret, created.webhookSecret)
  t.equal(rotated.body.webhookUrl, created.webhookUrl)
})

t.test('after the rotation the previous key is not needed', async (t) => {
  const { organizationId, set } = kit.as()
  await set({ repositoryUrl: url, authMethod: 'token', credential: { token: 'abc' } })
  const keys = { current: 'n'.repeat(32), previous: 'k'.repeat(32) }
  const source = encryptedGitSyncs({ database: kit.database, sealer: createSealer(keys) })
  for (const { id, texts } of await source.list(null, 100)) {
    for (const { sealed, context } of texts) {
      const to = createSealer(keys).seal(createSealer(keys).open(sealed, context), context)
      await source.replace({ id, from: sealed, to })
    }
  }
  const row = await readIn(kit.database, organizationId, findGitSync)
  const alone = createSealer({ current: keys.current })
  t.same(row && decryptCredential(alone, row), { token: 'abc' })
  t.equal(row && validWebhookSecrets(alone, row, new Date()).length, 1)
  t.same(await source.list(null, 100), [])
})
