/** Domains: mail domains whose ownership an organization has proved, for single sign-on. */
import { type Static, Type } from '@sinclair/typebox'
import { listOf, listQuery } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { Nullable, OneOf, Success, Timestamp } from '../scalars.ts'

const DomainParams = Type.Object({ domain: Type.String({ minLength: 1, maxLength: 253 }) })

export const Domain = Type.Object({
  domain: Type.String(),
  status: OneOf(['pending', 'verified']),
  txtName: Type.String(),
  txtValue: Type.String(),
  verifiedAt: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Domain = Static<typeof Domain>

export const domainOperations = operationsOf('gateway', 'domains', {
  list: {
    route: 'GET /organization/domains',
    summary: 'List domains',
    description:
      'Claimed and verified domains, each with the TXT record that proves its ownership.',
    permission: 'organization:read',
    query: listQuery(['domain', 'createdAt'], {}),
    reply: listOf(Domain),
  },
  create: {
    route: 'POST /organization/domains',
    status: 201,
    summary: 'Claim a domain',
    description:
      'Returns the TXT record to publish. Several organizations can claim a domain; only one ' +
      'can verify it. 409 `duplicate` for a domain that the organization has already claimed.',
    permission: 'organization:write',
    body: Type.Object({ domain: Type.String({ format: 'domain', maxLength: 253 }) }),
    reply: Domain,
  },
  verify: {
    route: 'POST /organization/domains/{domain}/verify',
    summary: 'Verify a domain',
    description:
      'Looks the TXT record up in DNS; for a verified domain nothing changes. From then on the ' +
      'identity provider can add members with addresses in the domain. 409 `invalid_state` ' +
      'when the record is missing, 409 `duplicate` when another organization has verified the ' +
      'domain, 404 for a domain that is not claimed.',
    permission: 'organization:write',
    action: 'UPDATE',
    params: DomainParams,
    reply: Domain,
  },
  remove: {
    route: 'DELETE /organization/domains/{domain}',
    summary: 'Delete a domain',
    description:
      'Members remain; the identity provider adds no further members with addresses in the ' +
      'domain, and another organization can verify it. 404 for a domain that is not claimed.',
    permission: 'organization:write',
    params: DomainParams,
    reply: Success,
  },
})
