/** The organization over HTTP: its name, policies and limits. */
import { organizationOperations } from '@status-page/contracts'
import { type Route, route } from '@status-page/service'
import { type CredentialCaches, changeRights } from '../roles/grant-authorization.ts'
import {
  type OrganizationChanges,
  organizationChanged,
  patched,
  validateEnforcement,
} from './rules.ts'
import { hasEnabledProvider } from './single-sign-on.ts'
import { fieldsOf, readOrganization, updateOrganization } from './store.ts'
import { replyOf } from './view.ts'

export const organizationRoutes = (caches: CredentialCaches): Route[] =>
  route(organizationOperations, {
    read: (call) => call.read(async (scope) => replyOf(await readOrganization(scope))),

    // Policies apply to existing sessions, so a change invalidates cached credentials like a change
    // of rights.
    update: (call) =>
      changeRights(call, caches, async (scope) => {
        const row = await readOrganization(scope)
        const patch = call.body as OrganizationChanges
        validateEnforcement(patch.ssoEnforced, await hasEnabledProvider(scope))
        const before = fieldsOf(row)
        const after = patched(before, patch)
        const outcome = organizationChanged(row, before, after)
        if (outcome.audit.length === 0) return { result: replyOf(row), ...outcome }
        const stored = await updateOrganization(scope, after, row.version + 1)
        return { result: replyOf(stored), ...outcome }
      }),
  })
