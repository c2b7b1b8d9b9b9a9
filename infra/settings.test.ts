/**
 * Settings have one source: every setting that a service reads is documented and passed to its
 * container.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { databaseSchemaOf, type ServiceName, services } from '@status-page/contracts'
import t from 'tap'
import { parse } from 'yaml'
import { generateSecrets } from './local/secrets.ts'
import { serviceEnvironment } from './local/settings.ts'

interface Schema {
  properties: Record<string, unknown>
  required?: string[]
}
interface ComposeService {
  environment?: Record<string, string | number>
  ports?: string[]
  command?: string[]
  image?: string
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  deploy?: { resources: { limits: { memory?: string; pids?: number } } }
}

const pathOf = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))
const example = parseEnv(readFileSync(pathOf('.env.example'), 'utf8'))
const composeText = readFileSync(pathOf('docker-compose.yml'), 'utf8')
const compose: { services: Record<string, ComposeService> } = parse(composeText, { merge: true })

/** Read by `npm start`, by docker-compose.yml, or by the containers of Postgres and the migration. */
const outsideServices = [
  'DATA_DIR',
  'IMAGE',
  'BASE_IMAGE',
  'EDGE_SUBNET',
  'PROXY_ADDRESS',
  'ACME_EMAIL',
  'ACME_CA',
  'POSTGRES_PASSWORD',
  'DATABASE_ROLE_PREFIX',
  ...services.map((name) => `DATABASE_PASSWORD_${databaseSchemaOf(name).toUpperCase()}`),
  ...services.map((name) => `NATS_PASSWORD_${databaseSchemaOf(name).toUpperCase()}`),
  'CALLER_PRIVATE_KEY_GATEWAY',
  'CALLER_PRIVATE_KEY_CORE',
  'CALLER_PRIVATE_KEY_CONFIG_SYNC',
]

const schemas = new Map<ServiceName, Schema>()
for (const name of services) {
  const file = pathOf(`services/${name}/src/config.ts`)
  if (existsSync(file)) schemas.set(name, (await import(file)).config)
}
const settings = new Set([...schemas.values()].flatMap(({ properties }) => Object.keys(properties)))

t.test('every service declares its settings', async (t) => {
  t.same([...schemas.keys()], [...services])
})

t.test('.env.example holds every setting and no other', async (t) => {
  for (const name of settings) {
    // One comment documents the settings of all buckets.
    t.ok(name in example || name.startsWith('RATE_LIMIT_'), `${name} is documented`)
  }
  for (const name of Object.keys(example)) {
    t.ok(
      settings.has(name) || outsideServices.includes(name),
      `${name} is read by a service or a container`,
    )
  }
})

t.test('every setting of the example is explained', async (t) => {
  let explained = false
  for (const line of readFileSync(pathOf('.env.example'), 'utf8').split('\n')) {
    if (line.startsWith('#')) explained = true
    if (line === '') explained = false
    if (/^[A-Z]/.test(line)) t.ok(explained, `${line} stands below a comment`)
  }
})

t.test('docker-compose.yml runs all services and publishes the proxy alone', async (t) => {
  const containers = Object.entries(compose.services)
  const image = compose.services.migrate?.image
  const ofImage = containers.filter(([, container]) => container.image === image)
  t.same(ofImage.map(([, { command }]) => command?.[0]).sort(), [...services, 'migrate'].sort())
  const published = containers.filter(([, { ports }]) => ports)
  t.same(
    published.map(([name]) => name),
    ['proxy'],
  )
})

t.test('every container has limits and no more rights than it needs', async (t) => {
  for (const [name, container] of Object.entries(compose.services)) {
    t.equal(container.read_only, true, `the root file system of ${name} is read-only`)
    t.same(container.cap_drop, ['ALL'], `${name} drops all capabilities`)
    t.same(container.security_opt, ['no-new-privileges:true'], name)
    if (name === 'migrate') continue
    const { memory, pids } = container.deploy?.resources.limits ?? {}
    t.ok(memory && pids, `${name} has limits of memory and processes`)
  }
})

t.test(
  'containers and the local stack give each service what it requires, and nothing unknown',
  async (t) => {
    for (const [name, { properties, required = [] }] of schemas) {
      const composed = compose.services[name]?.environment ?? {}
      const local = localEnvironment(name)
      for (const setting of required) {
        if (hasDefault(properties[setting])) continue
        t.ok(setting in composed, `docker-compose.yml gives ${name} ${setting}`)
        t.ok(setting in local, `npm start gives ${name} ${setting}`)
      }
      for (const setting of [...Object.keys(composed), ...Object.keys(local)]) {
        t.ok(setting in properties, `${name} knows ${setting}`)
      }
    }
  },
)

t.test(
  'only services that call others have a private key, and only the gateway the session secret',
  async (t) => {
    const holders = (setting: string) =>
      services.filter((name) => setting in (compose.services[name]?.environment ?? {}))
    const localHolders = (setting: string) =>
      services.filter((name) => setting in localEnvironment(name))
    for (const find of [holders, localHolders]) {
      t.same(find('CALLER_PRIVATE_KEY'), ['gateway', 'core', 'config-sync'])
      t.same(find('SESSION_SECRET'), ['gateway'])
    }
  },
)

/** The last is not a secret; its name only contains the word. */
const mayBeAbsent = ['ENCRYPTION_KEY_PREVIOUS', 'DKIM_PRIVATE_KEY', 'PASSWORD_DENYLIST']

t.test('no secret of the containers has a default', async (t) => {
  const secret = /\$\{(\w*(?:PASSWORD|SECRET|KEY|KEYS)\w*)(?:(:[?-])([^}]*))?\}/g
  const references = [...composeText.matchAll(secret)]
  const optional = references.filter(([, , kind]) => kind === ':-')
  for (const [text, name = '', , value] of optional) {
    t.equal(value, '', text)
    t.ok(mayBeAbsent.includes(name), `${name} must be there`)
  }
  t.ok(references.length > 0)
})

t.test(
  'generated secrets are lines without quotes, which every reader takes literally',
  async (t) => {
    const lines = generatedSecrets()
    for (const line of lines)
      t.match(line, /^[A-Z_]+=[^'"\s]|^CALLER_PUBLIC_KEYS=\{/, line.slice(0, 20))
    const plain = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)))
    t.same(parseEnv(lines.join('\n')), plain)
    t.same(Object.keys(JSON.parse(plain.CALLER_PUBLIC_KEYS ?? '')), [
      'gateway',
      'core',
      'config-sync',
    ])
  },
)

/** Output of the generator, as `kubectl create secret --from-env-file` reads it: without unquoting. */
function generatedSecrets(): string[] {
  const program = pathOf('scripts/generate-secrets.ts')
  const output = execFileSync(process.execPath, ['--no-warnings', program], { encoding: 'utf8' })
  return output.trim().split('\n')
}

function hasDefault(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && 'default' in schema
}

function localEnvironment(service: ServiceName): Record<string, string> {
  return serviceEnvironment(service, {
    environment: {},
    secrets: generateSecrets(),
    ports: Object.fromEntries(services.map((name) => [name, 1])) as Record<ServiceName, number>,
    databaseUrl: 'postgres://127.0.0.1/status_page',
    natsUrl: 'nats://127.0.0.1:4222',
    baseUrl: 'http://localhost:8080',
    gatewayHost: '127.0.0.1',
    mailFolder: 'mail',
    pageFolder: 'pages',
  })
}
