/**
 * Digest of the password of a status page, by which a configuration is compared with the stored
 * password. A slow hash for each page would delay every plan. The digest is stored encrypted only,
 * because it can be computed fast for every word of a dictionary.
 */
import { sha256 } from './hash.ts'
import type { SealContext } from './seal.ts'

export const pagePasswordDigest = (pageId: string, password: string): string =>
  sha256(JSON.stringify([pageId, password]))

/** Encryption context of the digest, and of the hash in a batch of a configuration. */
export const pagePasswordContext = (organizationId: string, pageId: string): SealContext => ({
  organizationId,
  purpose: 'page-password',
  recordId: pageId,
})
