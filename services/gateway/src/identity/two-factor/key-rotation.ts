/**
 * Second factors for key rotation. Set-ups are not included, because they expire before a rotation
 * ends.
 */
import { encryptedSource } from '@status-page/postgres'
import { twoFactor } from '../../tables.ts'
import { sealContext } from './code.ts'

const { userId, sealedSecret } = twoFactor

export const sealedTotpSecrets = encryptedSource({
  name: 'two-factor',
  table: twoFactor,
  id: userId,
  columns: [sealedSecret],
  selected: { userId, sealedSecret },
  textsOf: (row) => [{ sealed: row.sealedSecret, context: sealContext(row.userId) }],
})
