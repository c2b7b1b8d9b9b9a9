/**
 * Rules of codes: limits of wrong codes, the form of backup codes, and secrets that cannot be
 * opened.
 */
import { createSealer } from '@status-page/secrets'
import t from 'tap'
import { hashBackupCode, isBackupCode, makeBackupCodes } from './backup-codes.ts'
import { decryptTotpSecret, sealContext } from './code.ts'
import {
  type CodeFailures,
  countWrongCode,
  longestCodeLock,
  noCodeFailures,
} from './code-limits.ts'

const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1) + minutes * 60_000)

const failing = (times: readonly number[]) => {
  let state: CodeFailures = noCodeFailures
  const warned = times.filter((minutes) => {
    const { next, shouldWarn } = countWrongCode(state, at(minutes))
    state = next
    return shouldWarn
  })
  return { state, warned }
}

t.test('five wrong codes in 15 minutes lock until the oldest is 15 minutes old', async (t) => {
  t.equal(longestCodeLock(failing([0, 1, 2, 3]).state, at(3)), null)
  const { state } = failing([0, 1, 2, 3, 4])
  t.match(longestCodeLock(state, at(4)), { count: 5, retryAfterMs: 11 * 60_000 })
  t.equal(longestCodeLock(state, at(15)), null)
})

t.test('twenty wrong codes in a day lock until the oldest is a day old', async (t) => {
  const times = Array.from({ length: 20 }, (_, index) => index * 60)
  const { state } = failing(times)
  t.match(longestCodeLock(state, at(19 * 60)), { count: 20, retryAfterMs: 5 * 3_600_000 })
  t.equal(longestCodeLock(state, at(24 * 60)), null)
})

t.test('the third wrong code of a day triggers a warning, once a day', async (t) => {
  t.same(failing([0, 1]).warned, [])
  t.same(failing([0, 100, 200, 300, 400]).warned, [200])
  t.same(failing([0, 1, 2, 24 * 60 + 3, 24 * 60 + 4, 24 * 60 + 5]).warned, [2, 24 * 60 + 5])
})

t.test('backup codes: dashes and case do not matter, user and secret do', async (t) => {
  const [code = ''] = makeBackupCodes()
  const of = { secret: 'JBSWY3DPEHPK3PXP', userId: 'ana' }
  const hash = hashBackupCode(code, of)
  t.equal(hashBackupCode(code.toLowerCase().replaceAll('-', ''), of), hash)
  t.not(hashBackupCode(code, { ...of, userId: 'ben' }), hash)
  t.not(hashBackupCode(code, { ...of, secret: 'GEZDGNBVGY3TQOJQ' }), hash)
  t.ok(isBackupCode(code))
  for (const other of ['123456', `${code}A`, code.slice(1), '0000-0000-0000-0000', '']) {
    t.notOk(isBackupCode(other), other)
  }
})

t.test('a secret that cannot be decrypted logs an alarm without the secret', async (t) => {
  const keys = createSealer({ current: '0123456789abcdef0123456789abcdef' })
  const sealed = keys.seal('JBSWY3DPEHPK3PXP', sealContext('ben'))
  const alarms: unknown[] = []
  const options = { sealer: keys, log: { error: (entry: unknown) => alarms.push(entry) } as never }
  t.equal(decryptTotpSecret(sealed, 'ben', options), 'JBSWY3DPEHPK3PXP')
  t.same(alarms, [])
  t.equal(decryptTotpSecret(sealed, 'ana', options), null)
  t.match(alarms, [{ alarm: 'sealed_record', userId: 'ana' }])
  t.notMatch(JSON.stringify(alarms), sealed)
})
