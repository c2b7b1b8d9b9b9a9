/**
 * Message authentication of texts that clients return: HMAC-SHA256 with one derived key per
 * purpose.
 */
import { createHmac, hkdfSync } from 'node:crypto'
import { equalInConstantTime } from './hash.ts'

export type MacPurpose = 'page-access' | 'erased-address' | 'action-link'

export interface Authenticator {
  /** MAC in base64url, 43 characters. */
  mac(text: string): string
  /** Whether the MAC belongs to this text, under the current or the previous key. */
  isOwn(text: string, mac: string): boolean
  /** All MACs that `isOwn` accepts, for a search among stored ones. */
  accepted(text: string): string[]
}

const KEY_BYTES = 32

export const createAuthenticator = (
  keys: { current: string; previous?: string | null },
  purpose: MacPurpose,
): Authenticator => {
  const derive = (root: string) =>
    Buffer.from(hkdfSync('sha256', root, '', `status-page v1 mac ${purpose}`, KEY_BYTES))
  const [current, ...others] = [keys.current, ...(keys.previous ? [keys.previous] : [])].map(derive)
  const under = (key: Buffer | undefined, text: string) =>
    createHmac('sha256', key as Buffer)
      .update(text)
      .digest('base64url')
  return {
    mac: (text) => under(current, text),
    accepted: (text) => [current, ...others].map((key) => under(key, text)),
    isOwn: (text, mac) =>
      [current, ...others].map((key) => equalInConstantTime(under(key, text), mac)).includes(true),
  }
}
