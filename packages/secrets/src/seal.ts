/**
 * Encryption of stored secrets: AES-256-GCM with one key per purpose. A sealed record can be
 * decrypted only for the organization, purpose and record it was sealed for.
 */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

export const sealPurposes = [
  'totp',
  'integration',
  'channel',
  'webhook',
  'git',
  'variable',
  'component-header',
  'mail-token',
  'erased-address',
  'pending-login',
  'page-password',
] as const
export type SealPurpose = (typeof sealPurposes)[number]

export interface SealContext {
  organizationId: string
  purpose: SealPurpose
  recordId: string
}

export interface Sealer {
  /** Encrypts to `v1.<key id>.<base64url of IV, tag and ciphertext>`. */
  seal(plain: string, context: SealContext): string
  /** Decrypts, or throws a `SealError`. */
  open(sealed: string, context: SealContext): string
  /** Whether the record is sealed under the previous key and must be encrypted again. */
  isStale(sealed: string): boolean
  /** Prefix of records of the current key; others are stale. */
  readonly prefix: string
}

export type SealFault = 'malformed' | 'unknown_key' | 'not_authentic'

/**
 * Record that cannot be decrypted: raises an alarm, never an empty string. The message contains no
 * secret.
 */
export class SealError extends Error {
  readonly fault: SealFault

  constructor(fault: SealFault) {
    super(`Failed to decrypt the record (${fault})`)
    this.name = 'SealError'
    this.fault = fault
  }
}

const VERSION = 'v1'
const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const IV_BYTES = 12
/** Explicit for decryption too: otherwise Node accepts a tag of four bytes. */
const TAG_BYTES = 16
const KEY_ID_BYTES = 4

interface RootKey {
  id: string
  /** Cached key object; importing the bytes for each record costs more than AES. */
  of(purpose: SealPurpose): KeyObject
}

/** Creates a sealer; throws unless each key is exactly 32 bytes of UTF-8 text. */
export const createSealer = (keys: { current: string; previous?: string | null }): Sealer => {
  const current = rootKey('ENCRYPTION_KEY', keys.current)
  const known = new Map([[current.id, current]])
  if (keys.previous) {
    const previous = rootKey('ENCRYPTION_KEY_PREVIOUS', keys.previous)
    known.set(previous.id, known.get(previous.id) ?? previous)
  }

  return {
    seal(plain, context) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(CIPHER, current.of(context.purpose), iv, {
        authTagLength: TAG_BYTES,
      })
      cipher.setAAD(associatedData(current.id, context))
      const ciphertext = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      const record = Buffer.concat([iv, cipher.getAuthTag(), ciphertext])
      return `${VERSION}.${current.id}.${record.toString('base64url')}`
    },

    open(sealed, context) {
      const { keyId, record } = parse(sealed)
      const key = known.get(keyId)
      if (key === undefined) throw new SealError('unknown_key')
      const decipher = createDecipheriv(
        CIPHER,
        key.of(context.purpose),
        record.subarray(0, IV_BYTES),
        { authTagLength: TAG_BYTES },
      )
      decipher.setAAD(associatedData(key.id, context))
      decipher.setAuthTag(record.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
      try {
        const plain = decipher.update(record.subarray(IV_BYTES + TAG_BYTES))
        return Buffer.concat([plain, decipher.final()]).toString('utf8')
      } catch {
        throw new SealError('not_authentic')
      }
    },

    prefix: `${VERSION}.${current.id}.`,

    isStale: (sealed) => parse(sealed).keyId !== current.id,
  }
}

const rootKey = (setting: string, text: string): RootKey => {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length !== KEY_BYTES) {
    throw new TypeError(`${setting} must be exactly ${KEY_BYTES} bytes, it has ${bytes.length}`)
  }
  const derive = (info: string, length: number) =>
    Buffer.from(hkdfSync('sha256', bytes, '', `status-page ${VERSION} ${info}`, length))
  const derived = new Map<SealPurpose, KeyObject>()
  return {
    id: derive('key id', KEY_ID_BYTES).toString('hex'),
    of(purpose) {
      const key = derived.get(purpose) ?? createSecretKey(derive(`seal ${purpose}`, KEY_BYTES))
      derived.set(purpose, key)
      return key
    },
  }
}

/** Associated data as JSON, which keeps its parts unambiguous. */
const associatedData = (keyId: string, context: SealContext): Buffer =>
  Buffer.from(
    JSON.stringify([VERSION, keyId, context.organizationId, context.purpose, context.recordId]),
  )

const RECORD = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/

const parse = (sealed: string): { keyId: string; record: Buffer } => {
  const [, keyId, text] = RECORD.exec(sealed) ?? []
  if (keyId === undefined || text === undefined) throw new SealError('malformed')
  const record = Buffer.from(text, 'base64url')
  // The last base64url character can carry spare bits: only the canonical form is accepted.
  if (record.length < IV_BYTES + TAG_BYTES || record.toString('base64url') !== text) {
    throw new SealError('malformed')
  }
  return { keyId, record }
}
