/** Rules of domains: TXT record, errors, reply and audit entry. */
import {
  type AppError,
  type AuditDraft,
  conflict,
  type Domain,
  draftAudit,
} from '@status-page/contracts'

export interface DomainFields {
  id: string
  domain: string
  txtValue: string
  verifiedAt: Date | null
  createdAt: Date
  updatedAt: Date
}

const TXT_PREFIX = 'status-page-verification='

export const txtRecordNameOf = (domain: string): string => `_status-page.${domain}`

export const txtRecordValueOf = (token: string): string => `${TXT_PREFIX}${token}`

/** Requires the value to be one whole TXT record; other records may exist next to it. */
export const hasVerificationRecord = (
  records: readonly string[],
  { txtValue }: DomainFields,
): boolean => records.some((record) => record.trim() === txtValue)

export const domainNotVerified = ({ domain, txtValue }: DomainFields): AppError =>
  conflict('invalid_state', `${txtRecordNameOf(domain)} has no TXT record ${txtValue}`)

export const domainVerifiedElsewhere = (): AppError =>
  conflict('duplicate', 'Another organization has verified this domain')

export const domainAlreadyListed = (): AppError =>
  conflict('duplicate', 'The domain is already listed')

export const domainReplyOf = (row: DomainFields): Domain => ({
  domain: row.domain,
  status: row.verifiedAt === null ? 'pending' : 'verified',
  txtName: txtRecordNameOf(row.domain),
  txtValue: row.txtValue,
  verifiedAt: row.verifiedAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

export const domainAudit = (
  action: 'domain.create' | 'domain.update' | 'domain.delete',
  { id, domain }: DomainFields,
  changes: AuditDraft['changes'] = {},
): AuditDraft => draftAudit(action, { id, name: domain }, changes)
