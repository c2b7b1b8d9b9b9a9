/** SQL of the organization's row. */
import { notFound } from '@status-page/contracts'
import type { Scope, SystemScope } from '@status-page/postgres'
import { eq } from 'drizzle-orm'
import { organizations } from '../../tables.ts'
import type { OrganizationFields } from './rules.ts'

export type OrganizationRow = typeof organizations.$inferSelect

/** Throws NOT_FOUND when the organization has been deleted. */
export const readOrganization = async ({ tx, organizationId }: Scope): Promise<OrganizationRow> => {
  const [row] = await tx.select().from(organizations).where(eq(organizations.id, organizationId))
  if (row === undefined) throw notFound()
  return row
}

export const enforcesSingleSignOn = async ({ tx }: SystemScope, id: string): Promise<boolean> => {
  const { ssoEnforced } = organizations
  const [row] = await tx.select({ ssoEnforced }).from(organizations).where(eq(organizations.id, id))
  return row?.ssoEnforced === true
}

export const organizationFieldsOf = (row: OrganizationRow): OrganizationFields => ({
  name: row.name,
  require2FA: row.require2fa,
  ssoEnforced: row.ssoEnforced,
  allowedEmailDomains: row.allowedEmailDomains,
  notificationLimits: row.notificationLimits,
})

export const updateOrganization = async (
  { tx, now, organizationId }: Scope,
  fields: OrganizationFields,
  version: number,
): Promise<OrganizationRow> => {
  const { name, require2FA: require2fa, ssoEnforced, allowedEmailDomains } = fields
  const { notificationLimits } = fields
  const [row] = await tx
    .update(organizations)
    .set({
      name,
      require2fa,
      ssoEnforced,
      allowedEmailDomains,
      notificationLimits,
      version,
      updatedAt: now,
    })
    .where(eq(organizations.id, organizationId))
    .returning()
  return row as OrganizationRow
}
