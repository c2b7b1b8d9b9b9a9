/** Values of status pages that a document may write in more than one way. Pure. */
import { canonicalNetwork } from '@status-page/outbound'
import type { DocumentFields } from './section.ts'

/** Writes networks as they are stored; core rejects the ones without a canonical form. */
export const completePage = (fields: DocumentFields): DocumentFields => {
  const { allowedIpRanges } = fields
  if (!Array.isArray(allowedIpRanges)) return fields
  const networks = allowedIpRanges.map((range: string) => canonicalNetwork(range) ?? range)
  return { ...fields, allowedIpRanges: networks }
}
