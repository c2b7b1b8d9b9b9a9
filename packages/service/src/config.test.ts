/** Validation of all settings at start, one sentence per problem. */
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
  try {
    loadConfig(schema, wrong)
    t.fail('it was accepted')
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const named = ['BASE_URL', 'CALLBACK_URL', 'CALLER_PUBLIC_KEYS', 'DATABASE_URL', 'IS_OPEN']
    const first = error.problems.map((problem) => problem.split(' ')[0]).sort()
    t.same(first, [...named, 'LOG_LEVEL', 'PORT'])
    t.notMatch(error.message, /secret/)
  }
})

t.test('every internal address is blocked for tenants, the public one is not', async (t) => {
  const ours = Object.keys(baseConfig).filter(
    (name) => name.endsWith('_URL') && name !== 'BASE_URL',
  )
  const urls = Object.fromEntries(
    ours.map((name) => [name, `http://${name.toLowerCase()}.internal`]),
  )
  const config = loadConfig(schema, {
    ...environment,
    ...urls,
    DATABASE_URL: 'postgres://db/core',
  })
  t.same(
    new Set(ownHostsOf(config)),
    new Set(Object.values({ ...urls, DATABASE_URL: 'postgres://db/core' })),
  )
  t.same(ownHostsOf(loadConfig(schema, environment)), [environment.DATABASE_URL])
})
