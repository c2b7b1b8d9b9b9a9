/** Domains: mail domains that an organization has proved to be its own, for single sign-on. */
import { type Static, Type } from '@sinclair/typebox'
import { listOf, listQuery } from '../listing.ts'
import { operation } from '../operation.ts'
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

export const domainOperations = {
  list: operation({
    id: 'domains.list',
    service: 'gateway',
    method: 'GET',
    path: '/organization/domains',
    status: 200,
    summary: 'List domains',
    description: 'Claimed and verified domains, with the TXT record that proves each.',
    permission: 'organization:read',
    query: listQuery(['domain', 'createdAt'], {}),
    reply: listOf(Domain),
  }),
  create: operation({
    id: 'domains.create',
    service: 'gateway',
    method: 'POST',
    path: '/organization/domains',
    status: 201,
    summary: 'Claim a domain; answers the TXT record that proves it',
    description:
      'Anybody may claim a domain; only one organization can verify it. The answer names ' +
      'the TXT record to publish. 409 `duplicate` for a domain that the organization lists ' +
      'already.',
    permission: 'organization:write',
    body: Type.Object({ domain: Type.String({ format: 'domain', maxLength: 253 }) }),
    reply: Domain,
  }),
  verify: operation({
    id: 'domains.verify',
    service: 'gateway',
    method: 'POST',
    path: '/organization/domains/{domain}/verify',
    status: 200,
    summary: 'Look for the TXT record',
    description:
      'Asks DNS for the record; a verified domain reads the same however often it is asked. ' +
      'From then on the identity provider may make members of people with addresses there. ' +
      '409 `invalid_state` where the record is missing, 409 `duplicate` where another ' +
      'organization has verified the domain, 404 for a domain that is not listed.',
    permission: 'organization:write',
    action: 'UPDATE',
    params: DomainParams,
    reply: Domain,
  }),
  remove: operation({
    id: 'domains.remove',
    service: 'gateway',
    method: 'DELETE',
    path: '/organization/domains/{domain}',
    status: 200,
    summary: 'Give a domain up',
    description:
      'Its people stay members; nobody new joins through the provider by an address there, ' +
      'and another organization may verify it. 404 for a domain that is not listed.',
    permission: 'organization:write',
    params: DomainParams,
    reply: Success,
  }),
}
