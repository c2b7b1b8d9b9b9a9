/** Hosts of checked targets: loopback addresses, and names of one zone with a certificate. */
import { selfSignedCertificate } from '../../../packages/testing/src/certificate.ts'

/** Lifetime of a certificate that causes no expiry warning. */
const YEAR_MS = 365 * 86_400_000
/** Addresses of a network of loopback addresses. */
export const ADDRESSES = 250
/** Zone of names that resolve locally without a DNS query; one certificate covers all of them. */
const ZONE = 'checked.localhost'

/** Certificate of the names in the zone, which causes no expiry warning. */
export const zoneCertificate = () =>
  selfSignedCertificate([`*.${ZONE}`], new Date(Date.now() + YEAR_MS))

/** Name of a target in the zone; one host per target, because hosts are limited. */
export const nameOf = (index: number): string => `t${index}.${ZONE}`

/** Loopback address of a target. */
export const addressOf = (index: number): string =>
  `127.1.${1 + (Math.floor(index / ADDRESSES) % ADDRESSES)}.${1 + (index % ADDRESSES)}`
