/** View of the organization in the API. */
import type { Organization } from '@status-page/contracts'
import { type OrganizationRow, organizationFieldsOf } from './store.ts'

export const organizationReplyOf = (row: OrganizationRow): Organization => ({
  id: row.id,
  slug: row.slug,
  ...organizationFieldsOf(row),
  deletion: deletionOf(row),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

const deletionOf = (row: OrganizationRow): Organization['deletion'] =>
  row.deletionRequestedAt === null || row.deletionDueAt === null
    ? null
    : {
        requestedAt: row.deletionRequestedAt.toISOString(),
        requestedBy: row.deletionRequestedBy,
        deletesAt: row.deletionDueAt.toISOString(),
      }
