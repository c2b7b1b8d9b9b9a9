/** RSA certificates for tests, generated at run time, so that the repository contains no key. */
import { generateKeyPairSync, sign } from 'node:crypto'

const DAY_MS = 86_400_000

export interface TestCertificate {
  /** Private key as PEM. */
  key: string
  cert: string
  /** Certificate as base64 of DER. */
  der: string
}

const certificates = new Map<string, TestCertificate>()

/**
 * Certificate of a name, the same for each call of a process: a key of RSA takes 150 ms of a
 * processor.
 */
export const createCertificate = (name = 'idp', bits = 2_048): TestCertificate => {
  const key = `${name} ${bits}`
  const certificate = certificates.get(key) ?? selfSigned(name, bits)
  certificates.set(key, certificate)
  return certificate
}

/** Self-signed certificate, valid from yesterday for thirty days. */
const selfSigned = (name: string, bits: number): TestCertificate => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: bits })
  const algorithm = sequence(objectId('2a864886f70d01010b'), tagged(0x05))
  const names = sequence(set(sequence(objectId('550403'), tagged(0x0c, Buffer.from(name)))))
  const now = Date.now()
  const content = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([1])),
    algorithm,
    names,
    sequence(time(new Date(now - DAY_MS)), time(new Date(now + 30 * DAY_MS))),
    names,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = tagged(0x03, Buffer.from([0]), sign('sha256', content, privateKey))
  const der = sequence(content, algorithm, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${der.match(/.{1,64}/g)?.join('\n')}\n-----END CERTIFICATE-----\n`,
    der,
  }
}

const tagged = (tag: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
const sequence = (...parts: Buffer[]): Buffer => tagged(0x30, ...parts)
const set = (...parts: Buffer[]): Buffer => tagged(0x31, ...parts)
const objectId = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, 'hex'))
const time = (at: Date): Buffer =>
  tagged(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`))
