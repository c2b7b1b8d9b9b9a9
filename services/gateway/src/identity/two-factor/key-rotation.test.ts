/** Key rotation: every secret sealed with the previous key is re-encrypted without a login. */
import { asLookup } from '@status-page/postgres'
import { createSealer } from '@status-page/secrets'
import { shiftedClock } from '@status-page/testing'
import t from 'tap'
import {
  encryptionKey,
  gatewayOver,
  registerMember,
  runJob,
  testGateway,
} from '../../gateway.fixture.ts'
import { twoFactor } from '../../tables.ts'
import { sealContext } from './code.ts'
import { enrol } from './two-factor.fixture.ts'

t.test('second factors of the previous key are re-encrypted with the new one', async (t) => {
  const gateway = await testGateway(t)
  const { member } = await enrol(gateway, shiftedClock(), await registerMember(gateway))
  const { id } = member.identity.user
  const stored = () =>
    asLookup(gateway.database, async ({ tx }) => {
      const [row] = await tx.select({ sealed: twoFactor.sealedSecret }).from(twoFactor)
      return row?.sealed ?? ''
    })
  const before = await stored()
  const secret = createSealer({ current: encryptionKey }).open(before, sealContext(id))
  const current = 'another key of exactly 32 bytes.'

  const lost = gatewayOver(t, gateway.database, { ENCRYPTION_KEY: current })
  await runJob(lost, 'key-rotation')
  t.equal(await stored(), before, 'secrets that cannot be decrypted stay unchanged')

  const keys = { ENCRYPTION_KEY: current, ENCRYPTION_KEY_PREVIOUS: encryptionKey }
  const rotated = gatewayOver(t, gateway.database, keys)
  await runJob(rotated, 'key-rotation')
  const after = await stored()
  t.equal(createSealer({ current }).open(after, sealContext(id)), secret)
  await runJob(rotated, 'key-rotation')
  t.equal(await stored(), after, 'and is left alone from then on')
})
