/** Networks that may access a page, in canonical form and without duplicates. */
import { invalid, ruleIssue } from '@status-page/contracts'
import { canonicalNetwork } from '@status-page/outbound'

export const normalizeIpRanges = (ranges: readonly string[]): string[] => {
  const seen = new Set<string>()
  return ranges.map((range, index) => {
    const field = `allowedIpRanges[${index}]`
    const network = canonicalNetwork(range)
    if (network === null) {
      const message = `${field} must be a network such as 203.0.113.0/24, without bits behind the prefix`
      throw invalid({ field, message })
    }
    if (seen.has(network)) throw invalid(ruleIssue(field, 'distinct'))
    seen.add(network)
    return network
  })
}
