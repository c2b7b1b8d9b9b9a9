/** Backup codes of 80 random bits. The key of their hashes is derived from the user's secret. */
import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { BACKUP_CODE_COUNT } from '@status-page/contracts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const LENGTH = 16
const KEY_BYTES = 32

/** Creates codes of sixteen base32 characters in groups of four. */
export const makeBackupCodes = (): string[] =>
  Array.from({ length: BACKUP_CODE_COUNT }, () =>
    [...randomBytes(LENGTH)]
      .map((byte) => ALPHABET[byte % ALPHABET.length])
      .join('')
      .replace(/.{4}(?=.)/g, '$&-'),
  )

/**
 * Computes an HMAC under a key derived from the user's secret, so that codes of another user or of
 * a replaced secret never match. The secret is re-encrypted when ENCRYPTION_KEY changes; hashes
 * keyed with ENCRYPTION_KEY itself could not be.
 */
export const hashBackupCode = (code: string, owner: { secret: string; userId: string }): string => {
  const info = `status-page backup-codes ${owner.userId}`
  const key = Buffer.from(hkdfSync('sha256', owner.secret, '', info, KEY_BYTES))
  return createHmac('sha256', key).update(canonical(code)).digest('hex')
}

/** Normalizes case and removes dashes. */
const canonical = (code: string): string => code.replaceAll('-', '').toUpperCase()

export const isBackupCode = (code: string): boolean => /^[A-Z2-7]{16}$/.test(canonical(code))
