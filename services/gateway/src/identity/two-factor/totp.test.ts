/**
 * Codes compared with an independent generator, and the behaviour of otplib that the service relies
 * on.
 */
import { spawnSync } from 'node:child_process'
import { verifySync } from 'otplib'
import t from 'tap'
import { findTotpStep, makeTotpSecret, otpauthUrl, STEP_SECONDS } from './totp.ts'

const now = new Date('2026-01-02T03:04:15.000Z')
const stepNow = Math.floor(now.getTime() / 1000 / STEP_SECONDS)

const isInstalled = spawnSync('oathtool', ['--version']).status === 0

const oathtool = (secret: string, seconds: number): string =>
  spawnSync('oathtool', ['--totp', '--base32', `--now=@${seconds}`, secret], {
    encoding: 'utf8',
  }).stdout.trim()

t.test(
  'codes of oathtool are accepted up to one step before or after',
  { skip: isInstalled ? false : 'oathtool is not installed' },
  async (t) => {
    for (let round = 0; round < 20; round++) {
      const secret = makeTotpSecret()
      for (const steps of [-2, -1, 0, 1, 2]) {
        const code = oathtool(secret, now.getTime() / 1000 + steps * STEP_SECONDS)
        t.match(code, /^\d{6}$/)
        const expected = Math.abs(steps) <= 1 ? stepNow + steps : null
        t.equal(findTotpStep({ secret, code, now }), expected, `${steps} steps`)
      }
    }
  },
)

t.test('codes match the vectors of RFC 6238 in six digits', async (t) => {
  // "12345678901234567890" in base32.
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  const vectors: [number, string][] = [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_234_567_890, '005924'],
    [20_000_000_000, '353130'],
  ]
  for (const [seconds, code] of vectors) {
    const at = new Date(seconds * 1000)
    t.equal(findTotpStep({ secret, code, now: at }), Math.floor(seconds / STEP_SECONDS), code)
  }
})

t.test(
  'input other than six ASCII digits never reaches the library, which would throw',
  async (t) => {
    const secret = makeTotpSecret()
    for (const code of ['', '12345', '1234567', 'abcdef', '１２３４５６', '12345\n', '+12345']) {
      t.equal(findTotpStep({ secret, code, now }), null, JSON.stringify(code))
    }
    t.throws(() => verifySync({ secret, token: 'abcdef' }))
    t.throws(() => verifySync({ secret, token: null as never }))
  },
)

t.test('a secret has 160 bits, and the URL contains issuer and account', async (t) => {
  t.match(makeTotpSecret(), /^[A-Z2-7]{32}$/)
  t.not(makeTotpSecret(), makeTotpSecret())
  const url = otpauthUrl({
    issuer: '[::1]',
    account: 'ana@example.com',
    secret: 'JBSWY3DPEHPK3PXP',
  })
  t.match(url, /^otpauth:\/\/totp\/[^:]+:ana%40example\.com\?secret=JBSWY3DPEHPK3PXP&issuer=/)
})
