/** Permissions of API keys by levels of access. */
import { permissions, rightsOfRole } from '@status-page/contracts'
import t from 'tap'
import {
  accessLevelsOf,
  accessResources,
  levelsOf,
  permissionsOf,
  resourceNameOf,
  rightOf,
} from './permissions.ts'

t.test('every permission is the level of a resource, and write includes read', async (t) => {
  for (const permission of permissions) {
    t.same(permissionsOf(accessLevelsOf([permission])), [permission])
  }
  t.same(accessLevelsOf(['sla:write', 'sla:read', 'audit:read']), { sla: 'write', audit: 'read' })
  t.same(permissionsOf({ sla: 'none', 'status-pages': 'write' }), ['status-pages:write'])
})

t.test('every permission belongs to a listed resource', async (t) => {
  const resources = new Set(permissions.map((permission) => permission.split(':')[0]))
  t.same([...accessResources], [...resources])
})

t.test('a resource without a translation is named by its identifier', async (t) => {
  t.equal(resourceNameOf('status-pages', {}), 'Status pages')
  t.equal(resourceNameOf('status-pages', { 'status-pages': 'Statusseiten' }), 'Statusseiten')
})

t.test('a user is offered the levels that their rights include', async (t) => {
  const held: readonly string[] = rightsOfRole('MEMBER')
  const can = (right: string) => held.includes(right)
  t.same(levelsOf('components', can), ['none', 'read', 'write'])
  t.same(levelsOf('status-pages', can), ['none', 'read'], 'a member may not delete')
  t.same(levelsOf('audit', can), ['none'])
  t.same(
    levelsOf('audit', () => true),
    ['none', 'read'],
  )
  t.equal(rightOf('status-pages', 'VIEW'), 'STATUS_PAGES_VIEW')
})
