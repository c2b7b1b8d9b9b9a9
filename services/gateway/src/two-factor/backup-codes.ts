/** Backup codes: 80 random bits each. The key of their hashes comes from the user's own secret. */
import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { BACKUP_CODES } from '@status-page/contracts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const LENGTH = 16
const KEY_BYTES = 32

/** Sixteen base32 characters in groups of four. */
export const makeBackupCodes = (): string[] =>
  Array.from({ length: BACKUP_CODES }, () =>
    [...randomBytes(LENGTH)]
      .map((byte) => ALPHABET[byte % ALPHABET.length])
      .join('')
      .replace(/.{4}(?=.)/g, '$&-'),
  )

/**
 * HMAC under a key that only this user's secret gives: a code of another user, or one from before the
 * secret was made anew, fits nothing. The secret is sealed anew when ENCRYPTION_KEY changes; hashes
 * under a key of the root itself could not be.
 */
export const hashBackupCode = (code: string, owner: { secret: string; userId: string }): string => {
  const info = `status-page backup-codes ${owner.userId}`
  const key = Buffer.from(hkdfSync('sha256', owner.secret, '', info, KEY_BYTES))
  return createHmac('sha256', key).update(canonical(code)).digest('hex')
}

/** Case and dashes do not matter. */
const canonical = (code: string): string => code.replaceAll('-', '').toUpperCase()

export const isBackupCode = (code: string): boolean => /^[A-Z2-7]{16}$/.test(canonical(code))
