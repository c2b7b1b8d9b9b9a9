/** Syncs, looks at repositories and offers that are due: leased rows, so that nothing is lost with a process. */
import { change, crossDue, type Database, type DueWork, newId, read } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { gitHookReceipts, gitSyncRuns, gitSyncs } from '../tables.ts'
import { nextPollAt } from './polling.ts'
import { enqueue, findSync, lockSync } from './store.ts'
import { type Claimed, enter, runSync, syncActor } from './sync.ts'
import { dueForWriteBack, offerChanges, RETRY_MS, type WriteBackDoors } from './write-back.ts'

export interface GitDueDoors extends WriteBackDoors {
  pollMinutes: number
}

/** At most so many repositories are visited at once by one process. */
const AT_ONCE = 4
const INTERVAL_MS = 5_000
const LEASE_MS = 30_000
const RENEW_MS = 8_000
const RETENTION_MS = 3_600_000
const KEPT_DAYS = 90
const RECEIPTS_KEPT_HOURS = 24
const BATCH_ROWS = 1_000

export const GIT_SYNC_WORK = 'git-sync'

export const gitSyncWork = (doors: GitDueDoors): DueWork[] => [
  inParallel(GIT_SYNC_WORK, () => claimRun(doors)),
  inParallel('git-poll', () => claimPoll(doors)),
  inParallel('git-write-back', () => claimWriteBack(doors)),
  { name: 'git-sync-retention', intervalMs: RETENTION_MS, run: () => forget(doors.database) },
]

/** What is to be done with what was claimed; null where nothing is due. */
type Claim = () => Promise<((signal: AbortSignal) => Promise<void>) | null>

/** One slow repository keeps no other waiting while there are hands left. */
const inParallel = (name: string, claim: Claim): DueWork => {
  const hands = new Set<Promise<void>>()
  let bell = Promise.withResolvers<void>()

  const handOut = async (signal: AbortSignal, failures: unknown[]): Promise<number> => {
    const before = hands.size
    while (hands.size < AT_ONCE && !signal.aborted) {
      const work = await claim()
      if (work === null) break
      const hand = work(signal)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => hands.delete(hand))
      hands.add(hand)
    }
    return hands.size - before
  }

  return {
    name,
    intervalMs: INTERVAL_MS,
    wake: () => bell.resolve(),
    async run(signal) {
      const failures: unknown[] = []
      let done = 0
      do {
        // Before the look: what is rung during it is heard after it.
        bell = Promise.withResolvers()
        done += await handOut(signal, failures)
        if (hands.size > 0) await Promise.race([...hands, bell.promise])
      } while (hands.size > 0)
      if (failures.length > 0) throw failures[0]
      return done
    },
  }
}

interface ClaimedRow extends Record<string, unknown> {
  id: string
  organization_id: string
  attempts: number
  created_at: string
}

const claimRun = async (doors: GitDueDoors) => {
  const owner = newId()
  const claimed = await crossDue(doors.database, async ({ tx, now }) => {
    const at = now.toISOString()
    const [row] = await tx.execute<ClaimedRow>(sql`
      UPDATE ${gitSyncRuns} SET status = 'running', owner = ${owner}, attempts = attempts + 1,
        lease_until = ${at}::timestamptz + make_interval(secs => ${LEASE_MS / 1000})
      WHERE id = (
        SELECT id FROM ${gitSyncRuns} run
        WHERE (status = 'running' AND lease_until < ${at}::timestamptz)
          OR (status = 'queued' AND NOT EXISTS (SELECT FROM ${gitSyncRuns} other
            WHERE other.organization_id = run.organization_id AND other.status = 'running'))
        ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING id, organization_id, attempts, created_at`)
    if (row === undefined) return null
    const { id, organization_id: organizationId, attempts } = row
    return { id, organizationId, owner, attempts, createdAt: new Date(row.created_at) }
  })
  return claimed === null ? null : (signal: AbortSignal) => leased(doors, claimed, signal)
}

/** Renews the lease while the work lasts; once it is lost, the work ends. */
const leased = async (doors: GitDueDoors, claimed: Claimed, stopping: AbortSignal) => {
  const lost = new AbortController()
  const signal = AbortSignal.any([stopping, lost.signal])
  const renewal = setInterval(() => {
    renew(doors.database, claimed).then(
      (isHeld) => isHeld || lost.abort(),
      () => {},
    )
  }, RENEW_MS)
  try {
    await runSync(doors, claimed, signal)
  } finally {
    clearInterval(renewal)
  }
}

const renew = (database: Database, { organizationId, id, owner }: Claimed): Promise<boolean> =>
  read(database, organizationId, async ({ tx, now }) => {
    const rows = await tx.execute(sql`
      UPDATE ${gitSyncRuns}
      SET lease_until = ${now.toISOString()}::timestamptz + make_interval(secs => ${LEASE_MS / 1000})
      WHERE organization_id = ${organizationId} AND id = ${id} AND owner = ${owner} RETURNING id`)
    return rows.length > 0
  })

const claimPoll = async (doors: GitDueDoors) => {
  const organizationId = await crossDue(doors.database, async ({ tx, now }) => {
    const [row] = await tx.execute<{ organization_id: string }>(sql`
      UPDATE ${gitSyncs} SET next_poll_at = ${nextPollAt(now, doors.pollMinutes).toISOString()}::timestamptz
      WHERE id = (SELECT id FROM ${gitSyncs} WHERE next_poll_at <= ${now.toISOString()}::timestamptz
        ORDER BY next_poll_at LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING organization_id`)
    return row?.organization_id ?? null
  })
  return organizationId === null
    ? null
    : (signal: AbortSignal) => poll(doors, organizationId, signal)
}

/** A bell that was lost is made good, and changes made elsewhere are looked for. */
const poll = async (doors: GitDueDoors, organizationId: string, signal: AbortSignal) => {
  const { database, logger } = doors
  const row = await read(database, organizationId, findSync)
  if (row === null) return
  const head = await enter(doors, row, signal, (repository) => repository.head(row.branch)).catch(
    (error: unknown) => {
      logger.info({ err: error, gitSync: row.id }, 'a repository could not be looked at')
      return null
    },
  )
  if (head === null) return
  await change(database, { organizationId, actor: syncActor }, async (scope) => {
    const now = await lockSync(scope)
    if (now?.writeBack) await dueForWriteBack(scope, scope.now)
    if (now?.autoSync && now.lastCommit !== head) await enqueue(scope, now, 'poll')
    return { result: undefined, events: [], audit: [] }
  })
}

const claimWriteBack = async (doors: GitDueDoors) => {
  const claimed = await crossDue(doors.database, async ({ tx, now }) => {
    const [row] = await tx.execute<{ organization_id: string; write_back_due_at: string }>(sql`
      UPDATE ${gitSyncs}
      SET write_back_due_at = ${now.toISOString()}::timestamptz + make_interval(secs => ${RETRY_MS / 1000})
      WHERE id = (SELECT id FROM ${gitSyncs} WHERE write_back AND write_back_due_at <= ${now.toISOString()}::timestamptz
        ORDER BY write_back_due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING organization_id, write_back_due_at`)
    return row ?? null
  })
  if (claimed === null) return null
  const { organization_id: organizationId, write_back_due_at: leasedUntil } = claimed
  const offer = { organizationId, leasedUntil: new Date(leasedUntil) }
  return (signal: AbortSignal) => offerChanges(doors, offer, signal)
}

const forget = async (database: Database): Promise<number> => {
  const runs = await crossDue(database, ({ tx, now }) =>
    tx.execute(sql`DELETE FROM ${gitSyncRuns} WHERE id IN (SELECT id FROM ${gitSyncRuns}
      WHERE created_at < ${now.toISOString()}::timestamptz - make_interval(days => ${KEPT_DAYS})
      LIMIT ${BATCH_ROWS}) RETURNING id`),
  )
  const receipts = await crossDue(database, ({ tx, now }) =>
    tx.execute(sql`DELETE FROM ${gitHookReceipts}
      WHERE at < ${now.toISOString()}::timestamptz - make_interval(hours => ${RECEIPTS_KEPT_HOURS})
      RETURNING at`),
  )
  return runs.length + receipts.length
}
