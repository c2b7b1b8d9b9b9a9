/** Domains: what proves one, and what is said of it. */
import { type AppError, type AuditDraft, conflict, type Domain } from '@status-page/contracts'

export interface DomainFacts {
  id: string
  domain: string
  txtValue: string
  verifiedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

const TXT_PREFIX = 'status-page-verification='

export const txtNameOf = (domain: string): string => `_status-page.${domain}`

export const txtValueOf = (token: string): string => `${TXT_PREFIX}${token}`

/** The value has to be a whole record: beside others, never within one. */
export const isProof = (records: readonly string[], { txtValue }: DomainFacts): boolean =>
  records.some((record) => record.trim() === txtValue)

export const notProved = ({ domain, txtValue }: DomainFacts): AppError =>
  conflict('invalid_state', `${txtNameOf(domain)} has no TXT record ${txtValue}`)

export const provedElsewhere = (): AppError =>
  conflict('duplicate', 'Another organization has verified this domain')

export const claimed = (): AppError => conflict('duplicate', 'The domain is already listed')

export const replyOf = (row: DomainFacts): Domain => ({
  domain: row.domain,
  status: row.verifiedAt === null ? 'pending' : 'verified',
  txtName: txtNameOf(row.domain),
  txtValue: row.txtValue,
  verifiedAt: row.verifiedAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

export const aboutDomain = (
  action: 'domain.create' | 'domain.update' | 'domain.delete',
  { id, domain }: DomainFacts,
  changes: AuditDraft['changes'] = {},
): AuditDraft => ({ action, entityType: 'domain', entityId: id, entityName: domain, changes })
