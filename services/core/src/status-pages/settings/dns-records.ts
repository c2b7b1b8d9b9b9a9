/** DNS records of a custom domain: their lookup, and the state of each one. */
import type { CustomDomainCheck, DnsRecordState } from '@status-page/contracts'
import type { AliasResolver } from '@status-page/outbound'
import { type DomainDnsRecords, isProvedBy, verificationRecordName } from './custom-domain.ts'

const LOOKUP_TIMEOUT_MS = 2_000

export const lookUpDnsRecords = async (
  resolver: AliasResolver,
  domain: string,
): Promise<DomainDnsRecords> => {
  const [alias, text] = await Promise.all([
    resolver.resolveAlias(domain, LOOKUP_TIMEOUT_MS),
    resolver.lookUpText(verificationRecordName(domain), LOOKUP_TIMEOUT_MS),
  ])
  return { alias, text }
}

/**
 * Expected records and their states. Other values of the records are not returned: the resolver may
 * know names of the network of the installation.
 */
export const checkedRecords = (
  domain: string,
  { alias, text }: DomainDnsRecords,
  { ownHost, token }: { ownHost: string; token: string },
): Pick<CustomDomainCheck, 'cname' | 'txt'> => ({
  cname: {
    name: domain,
    expected: ownHost,
    state: stateOf(alias.isAnswered, {
      hasRecord: alias.isAnswered && alias.target !== null,
      isValid: alias.isAnswered && alias.target === ownHost,
    }),
  },
  txt: {
    name: verificationRecordName(domain),
    expected: token,
    state: stateOf(text.isAnswered, {
      hasRecord: text.isAnswered && text.texts.length > 0,
      isValid: isProvedBy(text, token),
    }),
  },
})

const stateOf = (
  isAnswered: boolean,
  { hasRecord, isValid }: { hasRecord: boolean; isValid: boolean },
): DnsRecordState => {
  if (!isAnswered) return 'no_answer'
  if (isValid) return 'valid'
  return hasRecord ? 'different' : 'missing'
}
