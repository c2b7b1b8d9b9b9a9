/** Webhook signatures, ours and those of others: made over raw bytes, compared in constant time. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { equalInConstantTime } from './hash.ts'

/** How far the timestamp of a Standard Webhooks message may be off, as its specification advises. */
export const SIGNATURE_TOLERANCE_SECONDS = 300
/** Two during a rotation; more than a handful is somebody making us compute. */
const MAX_SIGNATURES = 8
const STANDARD_PREFIX = 'whsec_'

/** The message of the Standard Webhooks specification: `id.timestamp.body`. */
export interface StandardMessage {
  id: string
  /** Unix seconds of this attempt. */
  timestamp: number
  body: Buffer
}

/** `X-Signature-256`: bare lower-case hex of HMAC-SHA256 under the secret's UTF-8 bytes. */
export const signBody = (secret: string, body: Buffer): string =>
  createHmac('sha256', secret).update(body).digest('hex')

/** One value of `webhook-signature`: `v1,<base64>`. */
export const signStandard = (secret: string, message: StandardMessage): string =>
  `v1,${createHmac('sha256', standardKey(secret))
    .update(`${message.id}.${message.timestamp}.`)
    .update(message.body)
    .digest('base64')}`

/** Both signature headers; in rotation the old secret still signs the second of them. */
export const signatureHeaders = (
  secrets: { current: string; previous: string | null },
  message: StandardMessage,
): { 'x-signature-256': string; 'webhook-signature': string } => {
  const keys = secrets.previous === null ? [secrets.current] : [secrets.current, secrets.previous]
  return {
    'x-signature-256': signBody(secrets.current, message.body),
    'webhook-signature': keys.map((key) => signStandard(key, message)).join(' '),
  }
}

/**
 * Whether a hex signature over the body was made with one of the secrets.
 * The header must be `<prefix><64 lower-case hex>` and nothing else: `Buffer.from(…, 'hex')` would
 * drop what it does not understand, and a repeated header arrives joined by a comma.
 */
export const verifySignature = (input: {
  secrets: readonly string[]
  body: Buffer
  header: string | undefined
  prefix: '' | 'sha256='
}): boolean => {
  const { header, prefix } = input
  if (header === undefined || !header.startsWith(prefix)) return false
  const signature = header.slice(prefix.length)
  if (!/^[0-9a-f]{64}$/.test(signature)) return false
  return some(input.secrets, (secret) =>
    equalInConstantTime(signBody(secret, input.body), signature),
  )
}

/** As `verifySignature` for the three headers of Standard Webhooks. */
export const verifyStandard = (input: {
  secrets: readonly string[]
  body: Buffer
  headers: { id: string; timestamp: string; signature: string }
  now: Date
}): boolean => {
  const { id, timestamp, signature } = input.headers
  if (!/^\d{1,12}$/.test(timestamp)) return false
  const ageSeconds = Math.abs(input.now.getTime() / 1000 - Number(timestamp))
  if (ageSeconds > SIGNATURE_TOLERANCE_SECONDS) return false
  const offered = signature.split(' ')
  if (offered.length > MAX_SIGNATURES) return false
  const message = { id, timestamp: Number(timestamp), body: input.body }
  return some(input.secrets, (secret) => {
    const expected = signStandard(secret, message)
    return some(offered, (value) => equalInConstantTime(expected, value))
  })
}

/** `Array.some` that looks at every item, so that time does not tell which one fits. */
const some = <Item>(items: readonly Item[], fits: (item: Item) => boolean): boolean =>
  items.map(fits).includes(true)

/**
 * A `whsec_` secret is base64 behind its prefix; any other one is its own UTF-8 bytes. Text or a key, for
 * Node 24 asks of bytes whether they are a key by having it thrown at: 14 µs instead of 3.
 */
const standardKey = (secret: string): string | KeyObject => {
  if (secret.startsWith(STANDARD_PREFIX)) {
    const encoded = secret.slice(STANDARD_PREFIX.length)
    if (/^(?:[A-Za-z0-9+/]{4})+$|^(?:[A-Za-z0-9+/]{4})*[A-Za-z0-9+/]{2,3}={0,2}$/.test(encoded)) {
      return createSecretKey(Buffer.from(encoded, 'base64'))
    }
  }
  return secret
}
