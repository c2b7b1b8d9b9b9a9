/** Role of a test's member, changed without another owner who could change it through the API. */
import { authOperations } from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import type { Tenant } from './journey.ts'
import type { World } from './world.ts'

/**
 * Changes the role in the database, waits until the gateway's cached credential has expired, and
 * ends the session of the tenant, so that the dashboard is opened with a login.
 */
export const setRole = async (
  { admin }: Pick<World, 'admin'>,
  { identity, session }: Tenant,
  role: string,
): Promise<void> => {
  await admin`UPDATE gateway.memberships SET role = ${role} WHERE user_id = ${identity.user.id}`
  await eventually(async () => (await session.call(authOperations.me)).organization.role === role)
  await session.call(authOperations.logout)
}
