/** Digests, random tokens and comparison in constant time. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

export const TOKEN_BYTES = 32

/** Lower-case hex of SHA-256 over the UTF-8 text. */
export const sha256 = (text: string): string => hash('sha256', text)

/**
 * Stored form of a key, session or mail token. One unsalted round is enough, because a token has
 * 128 random bits or more: no dictionary covers it.
 */
export const hashToken = (token: string): string => sha256(token)

export const randomToken = (bytes: number = TOKEN_BYTES): string =>
  randomBytes(bytes).toString('base64url')

/** Compares digests, so that timing reveals neither the length nor the first differing byte. */
export const equalInConstantTime = (left: string, right: string): boolean =>
  timingSafeEqual(hash('sha256', left, 'buffer'), hash('sha256', right, 'buffer'))
