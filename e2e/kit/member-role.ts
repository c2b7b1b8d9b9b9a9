/** Role of a test's member, changed without another owner who could change it through the API. */
import { authOperations } from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import type { Tenant } from './tenant.ts'
import type { World } from './world.ts'

/** Changes the role in the database and waits until the gateway's cached credential has expired. */
export const setRole = async (
  { admin }: Pick<World, 'admin'>,
  { identity, session }: Tenant,
  role: string,
): Promise<void> => {
  const permissionCount = async () => (await session.call(authOperations.me)).permissions.length
  const before = await permissionCount()
  await admin`UPDATE gateway.memberships SET role = ${role} WHERE user_id = ${identity.user.id}`
  await eventually(async () => (await permissionCount()) !== before)
}
