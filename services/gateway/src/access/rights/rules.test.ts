/** Rules of grants, as tables. */
import { type Grants, type Right, rightsOfRole } from '@status-page/contracts'
import t from 'tap'
import { builtInRole } from './role-store.ts'
import {
  addedRights,
  coversPermissions,
  coversRights,
  type Grantor,
  sortRights,
  validateRoleGranted,
  validateRoleName,
  validateRoleRevoked,
} from './rules.ts'

const session = (rights: readonly Right[], isOwner = false): Grantor => ({
  grants: { kind: 'session', rights } satisfies Grants,
  isOwner,
  userId: null,
})

const refusal = (work: () => void): unknown => {
  try {
    work()
    return null
  } catch (error) {
    return (error as { details: unknown }).details
  }
}

t.test('the grantor of a key needs every right behind its permissions', async (t) => {
  const cases: [Right[], string[], boolean][] = [
    [['COMPONENTS_VIEW'], ['components:read'], true],
    [['COMPONENTS_DELETE'], ['components:read'], true],
    [['COMPONENTS_CREATE', 'COMPONENTS_UPDATE'], ['components:write'], false],
    [['COMPONENTS_CREATE', 'COMPONENTS_UPDATE', 'COMPONENTS_DELETE'], ['components:write'], true],
    [['COMPONENTS_VIEW'], ['components:read', 'audit:read'], false],
    [['AUDIT_VIEW'], ['audit:read'], true],
    [['STATUS_PAGES_VIEW'], ['status-pages:read'], true],
    [[], ['audit:read'], false],
  ]
  for (const [held, asked, isCovered] of cases) {
    t.equal(coversPermissions(held, asked), isCovered, `${held} for ${asked}`)
  }
})

t.test('an ADMIN has the rights of an OWNER but is not an OWNER', async (t) => {
  const admin = session(rightsOfRole('ADMIN'))
  const owner = session(rightsOfRole('OWNER'), true)
  const details = { reason: 'owner_required' }
  t.same(
    refusal(() => validateRoleGranted(admin, builtInRole('OWNER'))),
    details,
  )
  t.same(
    refusal(() => validateRoleRevoked(admin, 'OWNER')),
    details,
  )
  t.equal(
    refusal(() => validateRoleRevoked(admin, 'ADMIN')),
    null,
  )
  t.equal(
    refusal(() => validateRoleGranted(admin, builtInRole('ADMIN'))),
    null,
  )
  t.equal(
    refusal(() => validateRoleGranted(owner, builtInRole('OWNER'))),
    null,
  )
})

t.test('granting a role requires all its rights; the refusal names the missing one', async (t) => {
  const grantor = session(['ORGANIZATION_UPDATE', 'COMPONENTS_UPDATE'])
  const role = (rights: Right[]) => ({ reference: 'x', name: 'x', rights })
  t.equal(
    refusal(() => validateRoleGranted(grantor, role(['COMPONENTS_VIEW']))),
    null,
    'implied',
  )
  t.same(
    refusal(() => validateRoleGranted(grantor, role(['COMPONENTS_UPDATE', 'COMPONENTS_DELETE']))),
    {
      permission: 'components:write',
      rolePermission: 'COMPONENTS_DELETE',
    },
  )
  t.ok(coversRights(rightsOfRole('ADMIN'), rightsOfRole('OWNER')))
  t.notOk(coversRights(rightsOfRole('VIEWER'), rightsOfRole('MEMBER')))
})

t.test('rights are sorted, and only new ones count as added', async (t) => {
  t.same(sortRights(['AUDIT_VIEW', 'COMPONENTS_VIEW']), ['COMPONENTS_VIEW', 'AUDIT_VIEW'])
  t.same(addedRights(['SLA_VIEW'], ['SLA_VIEW', 'SLA_UPDATE']), ['SLA_UPDATE'])
})

t.test('no custom role may have the name of a built-in one', async (t) => {
  for (const name of ['OWNER', 'owner', ' Viewer ']) {
    t.same(
      refusal(() => validateRoleName(name)),
      { reason: 'duplicate' },
      name,
    )
  }
  t.equal(
    refusal(() => validateRoleName('Owners')),
    null,
  )
})
