/** The organization over HTTP: its name, policies and limits. */
import { organizationOperations } from '@status-page/contracts'
import { createRoutes, type Route } from '@status-page/service'
import { type CredentialCaches, changeRights } from '../rights/grant-authorization.ts'
import {
  type OrganizationChanges,
  organizationUpdateOutcome,
  patchOrganization,
  validateEnforcement,
} from './rules.ts'
import { hasEnabledProvider } from './single-sign-on.ts'
import { organizationFieldsOf, readOrganization, updateOrganization } from './store.ts'
import { organizationReplyOf } from './view.ts'

export const organizationRoutes = (caches: CredentialCaches): Route[] =>
  createRoutes(organizationOperations, {
    read: (call) => call.read(async (scope) => organizationReplyOf(await readOrganization(scope))),

    // Policies apply to existing sessions, so a change invalidates cached credentials like a change
    // of rights.
    update: (call) =>
      changeRights(call, caches, async (scope) => {
        const row = await readOrganization(scope)
        const patch = call.body as OrganizationChanges
        validateEnforcement(patch.ssoEnforced, await hasEnabledProvider(scope))
        const before = organizationFieldsOf(row)
        const after = patchOrganization(before, patch)
        const outcome = organizationUpdateOutcome(row, before, after)
        if (outcome.audit.length === 0) return { result: organizationReplyOf(row), ...outcome }
        const stored = await updateOrganization(scope, after, row.version + 1)
        return { result: organizationReplyOf(stored), ...outcome }
      }),
  })
