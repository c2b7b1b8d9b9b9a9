/**
 * Roles over HTTP. Rights removed from a custom role are removed from its holders and their keys at
 * once.
 */
import {
  conflict,
  listReply,
  orNotFound,
  type Right,
  type Role,
  roleOperations,
  successReply,
} from '@status-page/contracts'
import { type Scope, violatedUniqueConstraint } from '@status-page/postgres'
import { type Call, createRoutes, type Route } from '@status-page/service'
import { markSessionsForRenewal } from '../../identity/sessions/renewal.ts'
import { noRevokedGrants, revocationAuditChanges } from '../../identity/users/membership-rules.ts'
import { revokeExcessRights } from '../members/revoke-excess-rights.ts'
import { type CredentialCaches, changeRights, lockGrantor } from '../rights/grant-authorization.ts'
import { userIdsWithRole } from '../rights/member-store.ts'
import * as store from '../rights/role-store.ts'
import {
  addedRights,
  type RoleFields,
  roleAudit,
  roleNameTaken,
  sortRights,
  validateRights,
  validateRoleCount,
  validateRoleName,
} from '../rights/rules.ts'

export const roleRoutes = (caches: CredentialCaches): Route[] =>
  createRoutes(roleOperations, {
    async list(call) {
      const { rows, total } = await call.read((scope) => store.listRoles(scope, call.query))
      return listReply(call.query, total, rows.map(replyOf))
    },

    create: (call) => createRole(call),

    read: (call) => call.read((scope) => readRole(scope, call.params.id)),

    update: (call) => updateRole(call, caches),

    remove(call) {
      const { id } = call.params
      return changeRights(call, caches, async (scope) => {
        const role = await customRoleOr404(scope, id)
        if (await store.isRoleInUse(scope, id)) {
          throw conflict('in_use', 'The role is in use by members or open invitations')
        }
        await store.deleteRole(scope, id)
        return {
          result: successReply,
          events: [],
          audit: [roleAudit('role.delete', id, null, role)],
        }
      })
    },
  })

const createRole = (call: Call<typeof roleOperations.create>): Promise<Role> => {
  const { name, description = null, permissions } = call.body
  validateRoleName(name)
  return withUniqueName(
    call.change(async (scope) => {
      validateRights(await lockGrantor(scope, call.caller), permissions)
      validateRoleCount(await store.countCustomRoles(scope))
      const fields = { name, description, permissions: sortRights(permissions) }
      const id = await store.insertRole(scope, fields)
      const audit = [roleAudit('role.create', id, null, fields)]
      return { result: await readRole(scope, id), events: [], audit }
    }),
  )
}

const updateRole = (
  call: Call<typeof roleOperations.update>,
  caches: CredentialCaches,
): Promise<Role> => {
  const { id } = call.params
  if (call.body.name !== undefined) validateRoleName(call.body.name)
  return withUniqueName(
    changeRights(call, caches, async (scope, grantor) => {
      const before = await customRoleOr404(scope, id)
      const { name, description, permissions } = { ...before, ...call.body }
      const after = { name, description, permissions: sortRights(permissions) }
      validateRights(grantor, addedRights(before.permissions, after.permissions))
      const audited = roleAudit('role.update', id, before, after)
      if (Object.keys(audited.changes).length === 0) {
        return { result: await readRole(scope, id) }
      }
      await store.updateRole(scope, id, after)
      const revokedGrants =
        'permissions' in audited.changes
          ? await updateHolders(scope, id, after.permissions)
          : noRevokedGrants
      const changes = { ...audited.changes, ...revocationAuditChanges(revokedGrants) }
      const audit = [{ ...audited, changes }]
      return { result: await readRole(scope, id), events: [], audit }
    }),
  )
}

const updateHolders = async (scope: Scope, id: string, rights: readonly Right[]) => {
  const userIds = await userIdsWithRole(scope, id)
  await markSessionsForRenewal(scope, userIds)
  return revokeExcessRights(scope, { userIds, rights, isOwner: false }, undefined)
}

const customRoleOr404 = async (scope: Scope, id: string): Promise<RoleFields & { id: string }> => {
  if (store.isBuiltIn(id)) throw conflict('invalid_state', 'Built-in roles cannot be changed')
  const row = orNotFound(await store.customRole(scope, id))
  const { name, description, permissions } = row
  return { id, name, description, permissions: permissions as Right[] }
}

const readRole = async (scope: Scope, id: string): Promise<Role> =>
  replyOf(orNotFound(await store.listedRole(scope, id)))

/** Translates a violation of the unique index; concurrent requests may send the same name. */
const withUniqueName = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw violatedUniqueConstraint(error) === 'roles_name_key' ? roleNameTaken() : error
  })

const replyOf = (row: store.ListedRole): Role => ({
  ...row,
  createdAt: row.createdAt?.toISOString() ?? null,
  updatedAt: row.updatedAt?.toISOString() ?? null,
})
