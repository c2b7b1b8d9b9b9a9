/**
 * Encryption of secrets to the X25519 key of an agent, so that only the agent reads them: an
 * ephemeral key agreement, HKDF-SHA256 and AES-256-GCM. A box decrypts only for the record that it
 * was sealed for.
 */
import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto'

const VERSION = 'box1'
const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const TAG_BYTES = 16
/** Constant, because each ephemeral key encrypts one message. */
const IV = Buffer.alloc(12)
const BOX = /^box1\.([\w-]{43})\.([\w-]+)$/

export interface BoxKeys {
  /** Raw key in base64url. */
  publicKey: string
  /** PKCS #8 in base64url. */
  privateKey: string
}

export const generateBoxKeys = (): BoxKeys => {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  const der = privateKey.export({ format: 'der', type: 'pkcs8' })
  return { publicKey: rawKeyOf(publicKey), privateKey: der.toString('base64url') }
}

/** Encrypts to `box1.<ephemeral key>.<tag and ciphertext>`; throws for an invalid public key. */
export const sealBox = (plain: string, publicKey: string, recordId: string): string => {
  const ephemeral = generateKeyPairSync('x25519')
  const sender = rawKeyOf(ephemeral.publicKey)
  const secret = diffieHellman({
    privateKey: ephemeral.privateKey,
    publicKey: publicKeyOf(publicKey),
  })
  const key = messageKeyOf(secret, sender, publicKey)
  const cipher = createCipheriv(CIPHER, key, IV, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(recordId))
  const ciphertext = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  const record = Buffer.concat([cipher.getAuthTag(), ciphertext])
  return `${VERSION}.${sender}.${record.toString('base64url')}`
}

/** Decrypts a box; throws when it is malformed or was sealed for another key or record. */
export const openBox = (box: string, keys: BoxKeys, recordId: string): string => {
  const [, sender, text] = BOX.exec(box) ?? []
  if (sender === undefined || text === undefined) throw new TypeError('The box is malformed')
  const record = Buffer.from(text, 'base64url')
  const privateKey = createPrivateKey({
    key: Buffer.from(keys.privateKey, 'base64url'),
    format: 'der',
    type: 'pkcs8',
  })
  const secret = diffieHellman({ privateKey, publicKey: publicKeyOf(sender) })
  const key = messageKeyOf(secret, sender, keys.publicKey)
  const decipher = createDecipheriv(CIPHER, key, IV, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(recordId))
  decipher.setAuthTag(record.subarray(0, TAG_BYTES))
  const plain = decipher.update(record.subarray(TAG_BYTES))
  return Buffer.concat([plain, decipher.final()]).toString('utf8')
}

/** Whether the text is a key to which `sealBox` can encrypt; a low-order point is not. */
export const isBoxPublicKey = (publicKey: string): boolean => {
  try {
    sealBox('', publicKey, '')
    return true
  } catch {
    return false
  }
}

const messageKeyOf = (secret: Buffer, sender: string, recipient: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, `${sender}.${recipient}`, VERSION, KEY_BYTES))

const publicKeyOf = (raw: string): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: raw }, format: 'jwk' })

const rawKeyOf = (key: KeyObject): string => key.export({ format: 'jwk' }).x ?? ''
