/** Rules of organizations: settings, single sign-on enforcement, and the outcome of an update. */
import {
  changesBetween,
  draftAudit,
  draftEvent,
  invalid,
  type NotificationLimits,
  type OutcomeDrafts,
  organizationUpdated,
} from '@status-page/contracts'

export interface OrganizationFields {
  name: string
  require2FA: boolean
  ssoEnforced: boolean
  allowedEmailDomains: string[]
  notificationLimits: NotificationLimits
}

export type OrganizationChanges = Partial<
  Omit<OrganizationFields, 'notificationLimits'> & {
    notificationLimits: Partial<OrganizationFields['notificationLimits']>
  }
>

export const patchOrganization = (
  fields: OrganizationFields,
  patch: OrganizationChanges,
): OrganizationFields => ({
  ...fields,
  ...patch,
  notificationLimits: { ...fields.notificationLimits, ...patch.notificationLimits },
})

export const validateEnforcement = (
  ssoEnforced: boolean | undefined,
  hasProvider: boolean,
): void => {
  if (ssoEnforced !== true || hasProvider) return
  throw invalid({
    field: 'ssoEnforced',
    message: 'ssoEnforced requires an enabled identity provider',
  })
}

/** Event and audit entry of an update; none when no field changed. */
export const organizationUpdateOutcome = (
  { id, slug, version }: { id: string; slug: string; version: number },
  before: OrganizationFields,
  after: OrganizationFields,
): OutcomeDrafts => {
  const changes = changesBetween<OrganizationFields>(before, after)
  if (Object.keys(changes).length === 0) return { events: [], audit: [] }
  const { name, notificationLimits } = after
  const organization = { id, name, slug, notificationLimits }
  return {
    events: [draftEvent(organizationUpdated, { id, version: version + 1 }, { organization })],
    audit: [draftAudit('organization.update', { id, name }, changes)],
  }
}
