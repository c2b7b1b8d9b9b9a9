/** SQL of versions and of the apply journal. */
import {
  type Actor,
  type configurationOperations,
  limitAndOffset,
  MAX_CONFIG_VERSIONS,
  type Query,
  sortOrderOf,
} from '@status-page/contracts'
import {
  asWorker,
  type Database,
  equalsFilter,
  resourceTable,
  type Scope,
} from '@status-page/postgres'
import { and, asc, desc, eq, gte, isNull, lt, sql } from 'drizzle-orm'
import { type ApplyRow, applies, configurationVersions, type VersionRow } from '../tables.ts'
import type { ApplyState, ApplyWork } from './journal.ts'

const versions = configurationVersions

const table = resourceTable(versions)

export const { find: findVersion } = table

export const lastVersion = async (scope: Scope): Promise<VersionRow | null> => {
  const [row] = await table
    .select(scope)
    .orderBy(desc(versions.createdAt), desc(versions.id))
    .limit(1)
  return row ?? null
}

/** Latest version that Git sync created from the commit since then. */
export const findGitVersion = async (
  scope: Scope,
  commit: string,
  since: Date,
): Promise<Pick<VersionRow, 'createdCount' | 'updatedCount' | 'deletedCount'> | null> => {
  const { createdCount, updatedCount, deletedCount } = versions
  const isFromCommit = and(eq(versions.source, 'git'), eq(versions.commit, commit))
  const [row] = await scope.tx
    .select({ createdCount, updatedCount, deletedCount })
    .from(versions)
    .where(table.own(scope, isFromCommit, gte(versions.createdAt, since)))
    .orderBy(desc(versions.createdAt), desc(versions.id))
    .limit(1)
  return row ?? null
}

/** Lists versions without their documents. */
export const listVersions = async (
  scope: Scope,
  query: Query<typeof configurationOperations.versions>,
) => {
  const { source } = query
  const where = table.own(scope, equalsFilter(versions.source, source))
  const direction = sortOrderOf(query) === 'asc' ? asc : desc
  const { limit, offset } = limitAndOffset(query)
  const rows = await scope.tx
    .select({
      id: versions.id,
      name: versions.name,
      configVersion: versions.configVersion,
      source: versions.source,
      commit: versions.commit,
      rollbackOf: versions.rollbackOf,
      appliedBy: versions.appliedBy,
      createdCount: versions.createdCount,
      updatedCount: versions.updatedCount,
      deletedCount: versions.deletedCount,
      createdAt: versions.createdAt,
    })
    .from(versions)
    .where(where)
    .orderBy(direction(versions.createdAt), direction(versions.id))
    .limit(limit)
    .offset(offset)
  return { rows, total: await scope.tx.$count(versions, where) }
}

/** Inserts a version and deletes the oldest beyond the limit. */
export const insertVersion = async (scope: Scope, row: VersionRow): Promise<void> => {
  const { tx, organizationId } = scope
  await tx.insert(versions).values(row)
  await tx.execute(sql`
    DELETE FROM configuration_versions WHERE organization_id = ${organizationId} AND id IN (
      SELECT id FROM configuration_versions WHERE organization_id = ${organizationId}
      ORDER BY created_at DESC, id DESC OFFSET ${MAX_CONFIG_VERSIONS})`)
}

/**
 * Time until another process may claim an apply whose process ended; a running apply renews its
 * lease.
 */
export const LEASE_MS = 15_000
const FINISHED_RETENTION_MS = 7 * 86_400_000

/** Returns false if another apply of the organization is open. */
export const insertApply = async (
  scope: Scope,
  { id, owner, actor }: { id: string; owner: string; actor: Actor },
): Promise<boolean> => {
  const { tx, organizationId, now } = scope
  const old = lt(applies.finishedAt, new Date(now.getTime() - FINISHED_RETENTION_MS))
  await tx.delete(applies).where(and(eq(applies.organizationId, organizationId), old))
  const opened = await tx
    .insert(applies)
    .values({
      organizationId,
      id,
      owner,
      actor,
      state: 'planning',
      createdAt: now,
      leaseUntil: new Date(now.getTime() + LEASE_MS),
    })
    .onConflictDoNothing()
    .returning({ id: applies.id })
  return opened.length > 0
}

export interface ApplyClaim {
  id: string
  owner: string
}

const isClaimed = ({ organizationId }: Scope, { id, owner }: ApplyClaim) =>
  and(
    eq(applies.organizationId, organizationId),
    eq(applies.id, id),
    eq(applies.owner, owner),
    isNull(applies.finishedAt),
  )

export const findClaimedApply = async (
  scope: Scope,
  apply: ApplyClaim,
): Promise<ApplyRow | null> => {
  const [row] = await scope.tx.select().from(applies).where(isClaimed(scope, apply)).for('update')
  return row ?? null
}

export interface ApplyProgress {
  state: ApplyState
  work?: ApplyWork
  error?: string
}

/** Returns false if another process claimed the apply. The end of an apply deletes its work. */
export const saveProgress = async (
  scope: Scope,
  apply: ApplyClaim,
  { state, work, error }: ApplyProgress,
): Promise<boolean> => {
  const isFinished = ['done', 'undone', 'abandoned'].includes(state)
  const { now } = scope
  const saved = await scope.tx
    .update(applies)
    .set({
      state,
      leaseUntil: new Date(now.getTime() + LEASE_MS),
      ...(work === undefined ? {} : { work }),
      ...(error === undefined ? {} : { error }),
      ...(isFinished ? { finishedAt: now, work: null } : {}),
    })
    .where(isClaimed(scope, apply))
    .returning({ id: applies.id })
  return saved.length > 0
}

/** Sets the time until another process may claim the apply. */
export const setApplyLease = async (
  scope: Scope,
  apply: ApplyClaim,
  forMs: number,
): Promise<void> => {
  const leaseUntil = new Date(scope.now.getTime() + forMs)
  await scope.tx.update(applies).set({ leaseUntil }).where(isClaimed(scope, apply))
}

const MAX_CLAIMED = 20

/**
 * Claims open applies whose lease has expired, each when the caller takes it: the lease of one that
 * waits for its turn would expire.
 */
export async function* claimExpiredApplies(database: Database, owner: string) {
  for (let count = 0; count < MAX_CLAIMED; count++) {
    const apply = await claimExpiredApply(database, owner)
    if (apply === undefined) return
    yield apply
  }
}

const claimExpiredApply = (
  database: Database,
  owner: string,
): Promise<{ organizationId: string; id: string; owner: string } | undefined> =>
  asWorker(database, async ({ tx, now }) => {
    const leaseUntil = new Date(now.getTime() + LEASE_MS).toISOString()
    const [row] = await tx.execute<{ organization_id: string; id: string }>(sql`
      UPDATE applies SET owner = ${owner}, lease_until = ${leaseUntil}::timestamptz
      WHERE id IN (SELECT id FROM applies
        WHERE finished_at IS NULL AND lease_until < ${now.toISOString()}::timestamptz
        ORDER BY lease_until LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING organization_id, id`)
    return row && { organizationId: row.organization_id, id: row.id, owner }
  })
