/** Rows of private locations and of their agents. */
import { privateLocationLock, STALE_LOCATION_SECONDS } from '@status-page/contracts'
import {
  asWorkerRaw,
  type Database,
  newId,
  resourceTable,
  type Scope,
  type SystemScope,
} from '@status-page/postgres'
import { and, eq, gt, inArray, sql } from 'drizzle-orm'
import { agents, privateLocations } from '../tables.ts'

export type LocationRow = typeof privateLocations.$inferSelect
export type AgentRow = typeof agents.$inferSelect

const locations = resourceTable(privateLocations)
const agentRows = resourceTable(agents)

export const {
  list: listLocations,
  find: findLocation,
  lock: lockLocation,
  remove: removeLocation,
} = locations

export const { find: findAgent } = agentRows

/** Serializes the creation of locations of an organization, so that their number has a limit. */
export const countLocationsLocked = async (scope: Scope): Promise<number> => {
  const key = `monitor:locations:${scope.organizationId}`
  await scope.tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`)
  return scope.tx.$count(privateLocations, locations.own(scope))
}

/** Waits for transactions of core that name a private location, and makes later ones wait. */
export const lockAgainstNaming = async ({ tx, organizationId }: Scope): Promise<void> => {
  const key = privateLocationLock(organizationId)
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`)
}

/** Inserts a location; null when the organization has one of that name. */
export const insertLocation = async (
  { tx, now, organizationId }: Scope,
  given: Pick<LocationRow, 'name' | 'description' | 'enrolmentHash' | 'enrolmentExpiresAt'>,
): Promise<LocationRow | null> => {
  const row = { ...given, organizationId, id: newId(), createdAt: now, updatedAt: now }
  const [stored] = await tx
    .insert(privateLocations)
    .values(row)
    .onConflictDoNothing({ target: [privateLocations.organizationId, privateLocations.name] })
    .returning()
  return stored ?? null
}

export const saveEnrolment = (
  scope: Scope,
  id: string,
  enrolment: Pick<LocationRow, 'enrolmentHash' | 'enrolmentExpiresAt'>,
): Promise<void> =>
  locations.update(scope, { ...enrolment, updatedAt: scope.now }, eq(privateLocations.id, id))

/** Marks the location, which is locked, as reported; returns the version of the event. */
export const markStale = async (
  scope: Scope,
  { id, eventVersion }: Pick<LocationRow, 'id' | 'eventVersion'>,
): Promise<number> => {
  const version = eventVersion + 1
  const change = { staleSince: scope.now, eventVersion: version }
  await locations.update(scope, change, eq(privateLocations.id, id))
  return version
}

/** Locations of all organizations that are stale and not reported yet. */
export const findUnreported = (
  database: Database,
  limit: number,
): Promise<{ organizationId: string; id: string }[]> =>
  asWorkerRaw(
    database,
    ({ sql }) => sql<{ organizationId: string; id: string }[]>`
      SELECT organization_id AS "organizationId", id FROM private_locations
      WHERE stale_since IS NULL
        AND last_contact_at < now() - ${STALE_LOCATION_SECONDS} * interval '1 s'
      ORDER BY last_contact_at LIMIT ${limit}`,
  )

export const agentsOf = (scope: Scope, locationIds: readonly string[]): Promise<AgentRow[]> =>
  locationIds.length === 0
    ? Promise.resolve([])
    : agentRows
        .select(scope, inArray(agents.locationId, [...locationIds]))
        .orderBy(agents.createdAt, agents.id)

export const insertAgent = async (
  { tx, now, organizationId }: Scope,
  given: Pick<AgentRow, 'locationId' | 'name' | 'version' | 'tokenHash' | 'publicKey'>,
): Promise<AgentRow> => {
  const row = { ...given, organizationId, id: newId(), createdAt: now, lastContactAt: now }
  const [stored] = await tx.insert(agents).values(row).returning()
  return stored as AgentRow
}

/** Deletes an agent of the location; undefined when it has no such agent. */
export const removeAgent = async (
  scope: Scope,
  { id, locationId }: { id: string; locationId: string },
): Promise<AgentRow | undefined> =>
  (await agentRows.removeAll(scope, eq(agents.id, id), eq(agents.locationId, locationId)))[0]

/** Records a request of the agent, and ends the stale state of its location. */
export const recordContact = async (
  scope: Scope,
  { id, locationId }: Pick<AgentRow, 'id' | 'locationId'>,
  given: Partial<Pick<AgentRow, 'version' | 'canPing' | 'lagSeconds'>> = {},
): Promise<void> => {
  const lastContactAt = scope.now
  const change = { lastContactAt, staleSince: null }
  await locations.update(scope, change, eq(privateLocations.id, locationId))
  await agentRows.update(scope, { ...given, lastContactAt }, eq(agents.id, id))
}

/** Organization and id that a token authenticates; for an enrolment token those of the location. */
interface TokenOwner {
  organizationId: string
  id: string
}

export const findAgentByToken = async (
  { tx }: SystemScope,
  tokenHash: string,
): Promise<TokenOwner | undefined> => {
  const { organizationId, id } = agents
  const found = await tx
    .select({ organizationId, id })
    .from(agents)
    .where(eq(agents.tokenHash, tokenHash))
  return found[0]
}

export const findLocationByEnrolment = async (
  { tx, now }: SystemScope,
  enrolmentHash: string,
): Promise<TokenOwner | undefined> => {
  const { organizationId, id } = privateLocations
  const found = await tx
    .select({ organizationId, id })
    .from(privateLocations)
    .where(
      and(
        eq(privateLocations.enrolmentHash, enrolmentHash),
        gt(privateLocations.enrolmentExpiresAt, now),
      ),
    )
  return found[0]
}
