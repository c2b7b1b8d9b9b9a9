import { REDACTED } from '@status-page/contracts'
import t from 'tap'
import { isSecretHeader, maskCredentials, redactSecrets, restoreSecrets } from './redact.ts'

t.test('paths and marked schemas hide the same fields and touch no other', async (t) => {
  const value = {
    name: 'Ops',
    config: { webhookUrl: 'https://chat.example/x', channel: '#ops', headers: { a: '1', b: '2' } },
    list: [{ token: 't1', label: 'l1' }, { label: 'l2' }],
  }
  const hidden = {
    name: 'Ops',
    config: { webhookUrl: REDACTED, channel: '#ops', headers: { a: REDACTED, b: REDACTED } },
    list: [{ token: REDACTED, label: 'l1' }, { label: 'l2' }],
  }
  const paths = ['config.webhookUrl', 'config.headers.*', 'list.*.token']
  t.same(redactSecrets(paths, value), hidden)
  const schema = {
    properties: {
      config: {
        anyOf: [
          { properties: { webhookUrl: { secret: true } } },
          { properties: { headers: { additionalProperties: { secret: true } } } },
        ],
      },
      list: { items: { properties: { token: { secret: true } } } },
    },
  }
  t.same(redactSecrets(schema, value), hidden)
  t.equal(value.config.webhookUrl, 'https://chat.example/x', 'the original stays')
})

t.test('an absent secret stays absent, a secret of another shape is hidden whole', async (t) => {
  t.same(redactSecrets(['a', 'b'], { a: null }), { a: null })
  t.same(redactSecrets(['a'], { a: { b: ['c'] } }), { a: REDACTED })
  t.equal(redactSecrets(['a'], null), null)
  const hostile = JSON.parse('{"__proto__":{"token":"t"},"token":"t"}')
  const redacted = redactSecrets(['token'], hostile)
  t.equal(redacted.token, REDACTED)
  t.equal(Object.getPrototypeOf(redacted), Object.prototype)
})

t.test('credential headers are recognised by their names', async (t) => {
  const names = ['Accept', 'AUTHORIZATION', 'Cookie', 'X-Api-Key', 'x-tokens']
  t.same(names.filter(isSecretHeader), names.slice(1))
})

t.test('a marker stands for the stored value, and is missing where none is stored', async (t) => {
  const stored = { url: 'u', headers: { 'x-key': 'k1' }, password: null }
  t.same(restoreSecrets({ headers: { 'x-key': REDACTED, b: '2' } }, stored), {
    value: { headers: { 'x-key': 'k1', b: '2' } },
    missing: [],
  })
  t.same(restoreSecrets({ password: REDACTED, headers: { c: REDACTED } }, stored).missing, [
    'password',
    'headers.c',
  ])
  t.same(restoreSecrets({ password: REDACTED }, null).missing, ['password'])
  t.same(restoreSecrets({ constructor: REDACTED }, {}).missing, ['constructor'])
})

t.test('credentials in running text are masked', async (t) => {
  const cases: [string, string][] = [
    ['key sk_live_abcDEF-123_x failed', 'key sk_live_*** failed'],
    ['secret whsec_MfKQ9r8GKYqr/+=', 'secret whsec_***'],
    ['authorization: Bearer abc.def-ghi', 'authorization: Bearer ***'],
    ['postgres://user:p%40ss@db:5432/x', 'postgres://***@db:5432/x'],
    ['https://token@git.example/r.git', 'https://***@git.example/r.git'],
    ['GET /x?api_key=abc&page=2', 'GET /x?api_key=***&page=2'],
    ['/x?a=1&access_token=abc&X-Amz-Signature=f0', '/x?a=1&access_token=***&X-Amz-Signature=***'],
    ['https://hooks.slack.com/services/T0/B0/xyz', 'https://hooks.slack.com/***'],
    ['https://discord.com/api/webhooks/1/abc', 'https://discord.com/api/webhooks/***'],
    [
      'mail to a@example.com at https://example.com/a?page=2',
      'mail to a@example.com at https://example.com/a?page=2',
    ],
  ]
  for (const [text, masked] of cases) t.equal(maskCredentials(text), masked)
})

t.test('masking a hostile text takes linear time', async (t) => {
  const hostile = ['a'.repeat(200_000), '?'.repeat(200_000), 'http://'.repeat(30_000)].join(' ')
  t.equal(maskCredentials(hostile), hostile)
})
