/** Texts that come back from the world and must be our own: HMAC-SHA256, one derived key a purpose. */
import { createHmac, hkdfSync } from 'node:crypto'
import { equalInConstantTime } from './hash.ts'

export type MacPurpose = 'page-access' | 'erased-address'

export interface Authenticator {
  /** base64url, 43 characters. */
  mac(text: string): string
  /** Whether the mac is of this text, under the present key or the one before it. */
  isOwn(text: string, mac: string): boolean
  /** Every mac that `isOwn` accepts, for a search among stored ones. */
  accepted(text: string): string[]
}

const KEY_BYTES = 32

export const authenticator = (
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
