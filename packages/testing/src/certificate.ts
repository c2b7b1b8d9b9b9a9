/** Self-signed certificates, created at run time, so that the repository contains no key. */
import { generateKeyPairSync, type KeyPairKeyObjectResult, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'

const DAY_MS = 24 * 60 * 60 * 1000

export interface TestCertificate {
  /** Private key as PEM. */
  key: string
  cert: string
  /** Certificate as base64 of DER. */
  der: string
}

/** P-256 certificate for the names, valid from a day ago or earlier until `notAfter`. */
export const selfSignedCertificate = (
  names: readonly string[],
  notAfter = new Date(Date.now() + 30 * DAY_MS),
): TestCertificate => {
  const alternatives = sequence(...names.map(alternative))
  const extension = sequence(objectId('551d11'), tagged(0x04, alternatives))
  return signed({
    name: 'test',
    keys: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    algorithm: sequence(objectId('2a8648ce3d040302')),
    notBefore: new Date(Math.min(notAfter.getTime() - 31 * DAY_MS, Date.now() - DAY_MS)),
    notAfter,
    extensions: [tagged(0xa3, sequence(extension))],
  })
}

let ofThisMachine: TestCertificate | undefined

/**
 * Certificate of servers on this machine, the same for the whole process: services that trust it
 * need no setting of their own for each server.
 */
export const localCertificate = (): TestCertificate =>
  (ofThisMachine ??= selfSignedCertificate(['127.0.0.1', 'localhost']))

const rsaCertificates = new Map<string, TestCertificate>()

/**
 * RSA certificate of a name, the same for each call of a process: a key of RSA takes 150 ms of a
 * processor. Valid from yesterday for thirty days.
 */
export const rsaCertificate = (name = 'idp', bits = 2_048): TestCertificate => {
  const key = `${name} ${bits}`
  const certificate =
    rsaCertificates.get(key) ??
    signed({
      name,
      keys: generateKeyPairSync('rsa', { modulusLength: bits }),
      algorithm: sequence(objectId('2a864886f70d01010b'), tagged(0x05)),
      notBefore: new Date(Date.now() - DAY_MS),
      notAfter: new Date(Date.now() + 30 * DAY_MS),
      extensions: [],
    })
  rsaCertificates.set(key, certificate)
  return certificate
}

interface CertificateFields {
  /** Common name of the subject and of the issuer. */
  name: string
  keys: KeyPairKeyObjectResult
  /** Algorithm of the signature as DER. */
  algorithm: Buffer
  notBefore: Date
  notAfter: Date
  /** Extensions as DER. */
  extensions: readonly Buffer[]
}

const signed = (fields: CertificateFields): TestCertificate => {
  const { publicKey, privateKey } = fields.keys
  const { algorithm } = fields
  const commonName = tagged(0x0c, Buffer.from(fields.name))
  const name = sequence(set(sequence(objectId('550403'), commonName)))
  const content = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(time(fields.notBefore), time(fields.notAfter)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    ...fields.extensions,
  )
  const signature = tagged(0x03, Buffer.from([0]), sign('sha256', content, privateKey))
  const der = sequence(content, algorithm, signature).toString('base64')
  const lines = der.match(/.{1,64}/g) ?? []
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    der,
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
