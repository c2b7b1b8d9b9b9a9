/** Validation of all settings at start, one sentence per problem. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import t from 'tap'
import { baseConfig, ConfigError, defineConfig, loadConfig, ownHostsOf } from './config.ts'

const schema = defineConfig({
  LIMIT: Type.Integer({ minimum: 1, default: 5 }),
  IS_OPEN: Type.Boolean({ default: false }),
  CALLBACK_URL: Type.String({ format: 'https-url' }),
})

const environment = {
  DATABASE_URL: 'postgres://core:x@localhost/db',
  CALLER_PUBLIC_KEYS: '{"gateway":"MCow"}',
  ENCRYPTION_KEY: 'k'.repeat(32),
  BASE_URL: 'http://localhost:3000',
  CALLBACK_URL: 'https://example.com',
}

const problemsOf = (settings: Record<string, string>): readonly string[] => {
  try {
    loadConfig(schema, settings)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems
  }
}

t.test(
  'texts are converted to the types of their settings; empty ones count as unset',
  async (t) => {
    const config = loadConfig(schema, {
      ...environment,
      PORT: '8080',
      LIMIT: '',
      IS_OPEN: 'true',
      NATS_URL: '',
      OUTBOUND_ALLOW_CIDRS: '10.0.0.0/8, 127.0.0.0/8',
      UNKNOWN: 'ignored',
    })
    t.match(config, {
      PORT: 8080,
      HOST: '127.0.0.1',
      LIMIT: 5,
      IS_OPEN: true,
      LOG_LEVEL: 'info',
      CALLER_PUBLIC_KEYS: { gateway: 'MCow' },
      OUTBOUND_ALLOW_CIDRS: ['10.0.0.0/8', '127.0.0.0/8'],
    })
    t.equal(config.NATS_URL, undefined)
    t.notOk('UNKNOWN' in config)
    t.same(loadConfig(schema, environment).OUTBOUND_ALLOW_CIDRS, [])
  },
)

t.test('every problem is one sentence that names the setting and shows no value', async (t) => {
  const wrong = {
    PORT: '80a',
    LOG_LEVEL: 'loud-secret',
    CALLER_PUBLIC_KEYS: '{secret',
    ENCRYPTION_KEY: 'k',
    BASE_URL: 'localhost-secret',
    CALLBACK_URL: 'http://secret.example',
    IS_OPEN: 'yes',
  }
  const problems = problemsOf(wrong)
  const named = ['BASE_URL', 'CALLBACK_URL', 'CALLER_PUBLIC_KEYS', 'DATABASE_URL', 'IS_OPEN']
  const first = problems.map((problem) => problem.split(' ')[0]).sort()
  t.same(first, [...named, 'LOG_LEVEL', 'PORT'])
  t.notMatch(problems.join(' '), /secret/)
})

t.test('every internal address is blocked for tenants, the public one is not', async (t) => {
  const origins = Object.keys(baseConfig).filter(
    (name) => name.endsWith('_URL') && !/^(?:BASE|DATABASE|DATABASE_DIRECT|NATS)_URL$/.test(name),
  )
  const urls = Object.fromEntries(
    origins.map((name) => [name, `http://${name.toLowerCase()}.internal`]),
  )
  const config = loadConfig(schema, {
    ...environment,
    ...urls,
    DATABASE_URL: 'postgres://u:p@one,two:6432,[::1]/core',
    DATABASE_DIRECT_URL: 'postgres://u:p@direct:5433/core',
    NATS_URL: 'nats://u:p@n1:4222, n2:4223',
  })
  const hosts = ['one:5432', 'two:6432', '[::1]:5432', 'direct:5433']
  const servers = ['nats://u:p@n1:4222', 'nats://n2:4223']
  t.same(new Set(ownHostsOf(config)), new Set([...hosts, ...servers, ...Object.values(urls)]))
  t.same(ownHostsOf(loadConfig(schema, environment)), ['localhost:5432'])
})

t.test('a setting is read from the file that NAME_FILE names', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'settings-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const fileOf = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const { ENCRYPTION_KEY, DATABASE_URL, ...rest } = environment
  const files = {
    ENCRYPTION_KEY_FILE: fileOf('key', `${ENCRYPTION_KEY}\n`),
    DATABASE_URL_FILE: fileOf('url', DATABASE_URL),
    CALLER_PUBLIC_KEYS_FILE: '',
    LIMIT_FILE: fileOf('limit', ''),
  }
  const config = loadConfig(schema, { ...rest, ...files })
  t.match(config, { ENCRYPTION_KEY, DATABASE_URL, LIMIT: 5 })

  const absent = join(folder, 'absent')
  const wrong = { ...environment, DATABASE_URL_FILE: files.DATABASE_URL_FILE, HOST_FILE: absent }
  const problems = [
    /^HOST_FILE cannot be read: ENOENT.*\.$/,
    'DATABASE_URL and DATABASE_URL_FILE are both set.',
  ]
  t.match(problemsOf(wrong), problems)
})

t.test('a service may have several public keys, each a text', async (t) => {
  const load = (keys: unknown) =>
    loadConfig(schema, { ...environment, CALLER_PUBLIC_KEYS: JSON.stringify(keys) })
  t.same(load({ core: ['a', 'b'], gateway: 'c' }).CALLER_PUBLIC_KEYS, {
    core: ['a', 'b'],
    gateway: 'c',
  })
  for (const keys of [{ core: [] }, { core: [1] }, { core: null }, []]) {
    t.throws(() => load(keys), ConfigError, JSON.stringify(keys))
  }
})
