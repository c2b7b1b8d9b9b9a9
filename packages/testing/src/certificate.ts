/** Self-signed certificates, created at run time, so that the repository contains no key. */
import { generateKeyPairSync, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * PEM texts of a P-256 certificate for the names, valid from a day ago or earlier until `notAfter`.
 */
export const selfSignedCertificate = (
  names: readonly string[],
  notAfter = new Date(Date.now() + 30 * DAY_MS),
) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(objectId('2a8648ce3d040302'))
  const name = sequence(set(sequence(objectId('550403'), tagged(0x0c, Buffer.from('test')))))
  const notBefore = Math.min(notAfter.getTime() - 31 * DAY_MS, Date.now() - DAY_MS)
  const validity = sequence(time(new Date(notBefore)), time(notAfter))
  const alternatives = sequence(...names.map(alternative))
  const extensions = tagged(
    0xa3,
    sequence(sequence(objectId('551d11'), tagged(0x04, alternatives))),
  )
  const content = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([1])),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions,
  )
  const signature = sign('sha256', content, privateKey)
  const der = sequence(content, algorithm, tagged(0x03, Buffer.from([0]), signature))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  }
}

/** Subject alternative name of a host name or address. */
const alternative = (host: string): Buffer =>
  isIPv4(host)
    ? tagged(0x87, Buffer.from(host.split('.').map(Number)))
    : tagged(0x82, Buffer.from(host))

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
