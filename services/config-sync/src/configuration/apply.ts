/** Makes a document true in two services, all or nothing, by a journal that survives whoever writes it. */
import {
  AppError,
  type Applied,
  componentBatchOperations,
  conflict,
  integrationBatchOperations,
  systemActor,
} from '@status-page/contracts'
import { faultPoint, newId, read, type Scope, transact } from '@status-page/postgres'
import type { ApplyRow } from '../tables.ts'
import type { WantedDocument } from './document.ts'
import { type Batches, isOpen, steps, type Work } from './journal.ts'
import {
  type ApplyRequest,
  type ConfigurationDeps,
  internally,
  type PreparedApply,
  prepare,
} from './prepare.ts'
import { isRefusal, readDocument } from './reading.ts'
import { auditApply, auditUndone, stateApplied, versionOf } from './rules.ts'
import * as store from './store.ts'

/** Throws 400 with every problem, 403 for a missing right, 409 while another apply runs or came between. */
export const applyDocument = async (
  deps: ConfigurationDeps,
  asked: ApplyRequest,
): Promise<Applied> => {
  const document = await readDocument(deps.parserOf(asked.organizationId), asked.text)
  if (asked.isDryRun) return appliedOf(await prepare(deps, asked, document), asked)
  const held = { ...asked, id: newId(), owner: newId() }
  await open(deps, held)
  try {
    return await holding(deps, held, () => carryOut(deps, held, document))
  } catch (error) {
    // Whoever looks through the journal goes on at once, if it is open still.
    await note(deps, held, (scope) => store.holdFor(scope, held, 0)).catch(() => {})
    throw error
  }
}

const carryOut = async (
  deps: ConfigurationDeps,
  held: ApplyRequest & Apply,
  document: WantedDocument,
): Promise<Applied> => {
  const prepared = await prepare(deps, held, document).catch(async (error: unknown) => {
    await end(deps, held, 'abandoned', error)
    throw error
  })
  const work = await workOf(deps, held, prepared)
  await progress(deps, held, { state: 'planned', work })
  faultPoint('apply.planned')
  return advance(deps, held)
}

export interface Apply extends store.Held {
  organizationId: string
}

const open = async (deps: ConfigurationDeps, held: ApplyRequest & Apply): Promise<void> => {
  const isOpened = await note(deps, held, (scope) => store.openApply(scope, held))
  if (!isOpened) throw conflict('already_running', 'Another apply is running')
}

const RENEWALS_A_LEASE = 3

/** Keeps others away from an apply for as long as the work takes. */
export const holding = async <Result>(
  deps: ConfigurationDeps,
  apply: Apply,
  work: () => Promise<Result>,
): Promise<Result> => {
  const timer = setInterval(() => {
    // Without it somebody takes the apply over, and the next step here finds that out.
    note(deps, apply, (scope) => store.holdFor(scope, apply, store.LEASE_MS)).catch(() => {})
  }, store.LEASE_MS / RENEWALS_A_LEASE)
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}

const appliedOf = (
  { document, plan, warnings }: PreparedApply,
  { isDryRun }: ApplyRequest,
): Applied => ({
  applied: !isDryRun,
  dryRun: isDryRun,
  configVersion: document.configVersion,
  ...plan.summary,
  warnings,
})

const workOf = async (
  deps: ConfigurationDeps,
  asked: ApplyRequest,
  prepared: PreparedApply,
): Promise<Work> => {
  const { batches, document } = prepared
  const last = await read(deps.database, asked.organizationId, store.lastVersion)
  const applied = appliedOf(prepared, asked)
  const isSame =
    last?.document === asked.text && Object.values(batches).every((one) => one === null)
  if (isSame) return { batches, applied, version: null }
  const { kind: source, commit, versionId: rollbackOf } = asked.source
  const { name, configVersion } = document
  return {
    batches,
    applied,
    version: { id: newId(), name, configVersion, document: asked.text, source, commit, rollbackOf },
  }
}

/** Goes on from wherever the journal says, until the apply has ended; throws what undid it. */
export const advance = async (deps: ConfigurationDeps, apply: Apply): Promise<Applied> => {
  let undoneBy: unknown = null
  for (;;) {
    const { row, now } = await read(deps.database, apply.organizationId, async (scope) => ({
      row: await store.findHeld(scope, apply),
      now: scope.now,
    }))
    if (row === null || !isOpen(row.state)) throw takenOver()
    if (row.state === 'planning' || row.work === null) {
      await end(deps, apply, 'abandoned', null)
      throw takenOver()
    }
    const step = steps[row.state]
    const { refusal, kept } = await take(deps, { row, now }, step.batch)
    const next = refusal === null ? step.next : (step.refused ?? step.next)
    undoneBy ??= step.refused === null ? null : refusal
    if (row.state === 'undoing' && refusal !== null) {
      const { organizationId, id } = row
      deps.logger.error({ err: refusal, organizationId, apply: id }, 'undo was rejected')
    }
    const work = refusal === null || step.refused !== null ? row.work : warned(row.work, refusal)
    if (next === 'done') return finish(deps, apply, { ...row, work })
    if (next === 'undone') {
      if (row.state === 'undoing')
        undoneBy = await tellUndone(deps, row, undoneBy, leftBy(kept, refusal))
      else await end(deps, apply, 'undone', undoneBy)
      throw undoneBy ?? takenOver()
    }
    await progress(deps, apply, { state: next, work, ...reasonOf(refusal) })
    faultPoint(`apply.${next}`)
  }
}

/**
 * After so long a batch that its owner fails over every time counts as refused: it would hold up every other
 * apply. Had it taken effect, its repeat would be answered. An owner that is away is waited for.
 */
const GIVE_UP_MS = 15 * 60_000

interface Taken {
  /** Null when it has taken effect, now or before. */
  refusal: unknown
  /** What an undo had to leave. */
  kept: readonly string[]
}

/** Throws when nobody knows. */
const take = async (
  deps: ConfigurationDeps,
  { row, now }: { row: ApplyRow; now: Date },
  name: keyof Batches,
): Promise<Taken> => {
  const asking = internally(row)
  const batches = row.work?.batches
  let kept: readonly string[] = []
  try {
    if (name === 'components') {
      const body = batches?.components ?? null
      if (body !== null) await deps.core.call(componentBatchOperations.apply, { ...asking, body })
    } else {
      const body = batches?.[name] ?? null
      const { apply } = integrationBatchOperations
      if (body !== null) {
        const answer = await deps.integrations.call(apply, { ...asking, body })
        // Of an older one there is nothing to hear of it.
        kept = answer.kept ?? []
      }
    }
    faultPoint(`apply.after_${name}`)
    return { refusal: null, kept }
  } catch (error) {
    const isOld = now.getTime() - row.createdAt.getTime() > GIVE_UP_MS
    const isHopeless = isOld && error instanceof AppError && error.code === 'UPSTREAM_ERROR'
    if (isRefusal(error) || isHopeless) return { refusal: error, kept }
    throw error
  }
}

const warned = (work: Work, refusal: unknown): Work => {
  const reason = refusal instanceof AppError ? refusal.message : 'no answer'
  const warning = `Integrations were not deleted: ${reason}`
  const { applied } = work
  const deleted = applied.deleted.filter(({ resourceType }) => resourceType !== 'integration')
  return { ...work, applied: { ...applied, deleted, warnings: [...applied.warnings, warning] } }
}

/** What an undo has left behind, as the end of a sentence. */
const leftBy = (kept: readonly string[], refusal: unknown): string => {
  if (kept.length > 0)
    return `; integrations now in use by components were not deleted: ${kept.join(', ')}`
  return refusal instanceof Error
    ? `; changes to integrations could not be undone: ${refusal.message}`
    : ''
}

/** An undone apply shows in the audit log, with what undid it; gives that to be thrown. */
const tellUndone = async (
  { database }: ConfigurationDeps,
  row: ApplyRow,
  cause: unknown,
  left: string,
): Promise<unknown> => {
  const { organizationId, actor } = row
  // Whoever took it over knows of the cause by the journal alone.
  const why =
    cause instanceof Error ? cause.message : (row.error ?? 'core or integrations rejected a change')
  const reason = `${why}${left}`.slice(0, MAX_ERROR)
  await transact(database, { organizationId, actor }, async (scope) => {
    const isOurs = await store.saveProgress(scope, row, { state: 'undone', error: reason })
    if (!isOurs) throw takenOver()
    return { result: undefined, events: [], audit: [auditUndone(row, reason)] }
  })
  if (left === '' || !(cause instanceof AppError)) return cause
  return new AppError(cause.code, reason, cause.details, cause.headers)
}

/** The version, the event and the audit entry become true with the end of the apply. */
const finish = async (
  { database }: ConfigurationDeps,
  apply: Apply,
  row: ApplyRow,
): Promise<Applied> => {
  const { organizationId, actor, work } = row
  if (work === null) throw takenOver()
  const { applied, version: fresh } = work
  const result = await transact(database, { organizationId, actor }, async (scope) => {
    const isOurs = await store.saveProgress(scope, apply, { state: 'done' })
    if (!isOurs) throw takenOver()
    if (fresh === null) return { result: applied, events: [], audit: [] }
    const version = versionOf(fresh, { organizationId, actor, applied, now: scope.now })
    await store.insertVersion(scope, version)
    return {
      result: applied,
      events: [stateApplied(version)],
      audit: [auditApply(version, applied)],
    }
  })
  faultPoint('apply.done')
  return result
}

const progress = async (
  deps: ConfigurationDeps,
  apply: Apply,
  to: store.Progress,
): Promise<void> => {
  const isOurs = await note(deps, apply, (scope) => store.saveProgress(scope, apply, to))
  if (!isOurs) throw takenOver()
}

const MAX_ERROR = 500

const reasonOf = (cause: unknown): { error?: string } =>
  cause instanceof Error ? { error: cause.message.slice(0, MAX_ERROR) } : {}

const end = async (
  deps: ConfigurationDeps,
  apply: Apply,
  state: 'undone' | 'abandoned',
  cause: unknown,
): Promise<void> => {
  await note(deps, apply, (scope) =>
    store.saveProgress(scope, apply, { state, ...reasonOf(cause) }),
  )
}

/** What only the journal says: nobody else is told. */
export const note = <Result>(
  { database }: Pick<ConfigurationDeps, 'database'>,
  { organizationId }: { organizationId: string },
  work: (scope: Scope) => Promise<Result>,
): Promise<Result> =>
  transact(database, { organizationId, actor: systemActor }, async (scope) => {
    return { result: await work(scope), events: [], audit: [] }
  })

const takenOver = (): AppError => conflict('already_running', 'The apply was taken over')
