/** Text of an API key: creation, pattern and mask. Only its hash is stored. */
import { hashToken, randomToken } from '@status-page/secrets'

const PREFIX = 'sk_live_'
/** Checked before a token is hashed or looked up: prefix and 32 bytes in base64url. */
export const KEY_PATTERN = /^sk_live_[A-Za-z0-9_-]{43}$/
const SUFFIX_LENGTH = 4

export interface MintedKey {
  /** Full key; returned once, never stored. */
  key: string
  tokenHash: string
  suffix: string
}

export const mintKey = (): MintedKey => {
  const key = `${PREFIX}${randomToken()}`
  return { key, tokenHash: hashToken(key), suffix: key.slice(-SUFFIX_LENGTH) }
}

export const maskedKeyOf = (suffix: string): string => `${PREFIX}****${suffix}`
