/**
 * Applies a document to core, integrations and notifier atomically, through a journal that survives a crash.
 */
import { renewWhile } from '@status-page/concurrency'
import {
  AppError,
  type ConfigApplyResult,
  type ConfigResourceType,
  conflict,
} from '@status-page/contracts'
import { faultPoint, newId, read, transact, write } from '@status-page/postgres'
import type { ApplyRow } from '../tables.ts'
import type { DesiredDocument } from './document/document.ts'
import { isClientError, readDocument } from './document/read-document.ts'
import { type ApplyBatches, type ApplyWork, applySteps, isApplyOpen } from './journal.ts'
import {
  type ApplyRequest,
  type ConfigurationDeps,
  type PreparedApply,
  prepareApply,
  toDocumentError,
} from './prepare.ts'
import { appliedEvent, auditApply, auditUndoneApply, newVersionRow } from './rules.ts'
import { internalCallOptions, sendBatch } from './send-batch.ts'
import * as store from './store.ts'

/**
 * Throws 400 with every problem, 403 for a missing right, and 409 during another apply or after a
 * concurrent change.
 */
export const applyDocument = async (
  deps: ConfigurationDeps,
  request: ApplyRequest,
): Promise<ConfigApplyResult> => {
  const document = await readDocument(deps.parserOf(request.organizationId), request.text)
  if (request.isDryRun) return toApplied(await prepareApply(deps, request, document), request)
  const claimed = { ...request, id: newId(), owner: newId() }
  await beginApply(deps, claimed)
  try {
    return await withApplyLease(deps, claimed, () => runApply(deps, claimed, document))
  } catch (error) {
    // Expires the lease, so that the job resumes an open apply at once.
    await write(deps.database, claimed, (scope) => store.setApplyLease(scope, claimed, 0)).catch(
      () => {},
    )
    throw error
  }
}

const runApply = async (
  deps: ConfigurationDeps,
  claimed: ApplyRequest & ClaimedApply,
  document: DesiredDocument,
): Promise<ConfigApplyResult> => {
  const prepare = async () => {
    const prepared = await prepareApply(deps, claimed, document)
    await claimed.validateLiveState?.()
    return prepared
  }
  const prepared = await prepare().catch(async (error: unknown) => {
    await endApply(deps, claimed, 'abandoned', error)
    throw error
  })
  const work = await toApplyWork(deps, claimed, prepared)
  await recordProgress(deps, claimed, { state: 'planned', work })
  faultPoint('apply.planned')
  return runApplySteps(deps, claimed, (error, batch) =>
    toDocumentError(deps, claimed, { plan: prepared.plan, error, batch }),
  )
}

export interface ClaimedApply extends store.ApplyClaim {
  organizationId: string
}

const beginApply = async (
  deps: ConfigurationDeps,
  claimed: ApplyRequest & ClaimedApply,
): Promise<void> => {
  const isOpened = await write(deps.database, claimed, (scope) => store.insertApply(scope, claimed))
  if (!isOpened) throw conflict('already_running', 'Another apply is running')
}

const RENEWALS_A_LEASE = 3

/** Renews the lease of an apply until the work ends. */
export const withApplyLease = <Result>(
  deps: ConfigurationDeps,
  apply: ClaimedApply,
  work: () => Promise<Result>,
): Promise<Result> => {
  const intervalMs = store.LEASE_MS / RENEWALS_A_LEASE
  // An unrenewed lease expires, another process claims the apply, and the next step here fails.
  const renew = () =>
    write(deps.database, apply, (scope) => store.setApplyLease(scope, apply, store.LEASE_MS))
  return renewWhile({ intervalMs, renew }, work)
}

const toApplied = (
  { document, plan, warnings }: PreparedApply,
  { isDryRun }: ApplyRequest,
): ConfigApplyResult => ({
  applied: !isDryRun,
  dryRun: isDryRun,
  configVersion: document.configVersion,
  ...plan.summary,
  warnings,
})

const toApplyWork = async (
  deps: ConfigurationDeps,
  request: ApplyRequest,
  prepared: PreparedApply,
): Promise<ApplyWork> => {
  const { batches, document } = prepared
  const last = await read(deps.database, request.organizationId, store.lastVersion)
  const applied = toApplied(prepared, request)
  const isUnchanged =
    last?.document === request.text && Object.values(batches).every((one) => one === null)
  if (isUnchanged) return { batches, applied, version: null }
  const { kind: source, commit, versionId: rollbackOf } = request.source
  const { name, configVersion } = document
  return {
    batches,
    applied,
    version: {
      id: newId(),
      name,
      configVersion,
      document: request.text,
      source,
      commit,
      rollbackOf,
    },
  }
}

/** Error that a rejected batch causes. */
type ExplainRefusal = (error: unknown, batch: keyof ApplyBatches) => Promise<unknown>

/** Runs the steps of an apply from its journaled state to the end; throws the cause of an undo. */
export const runApplySteps = async (
  deps: ConfigurationDeps,
  apply: ClaimedApply,
  explain: ExplainRefusal = async (error) => error,
): Promise<ConfigApplyResult> => {
  let undoneBy: unknown = null
  for (;;) {
    const { row, now } = await read(deps.database, apply.organizationId, async (scope) => ({
      row: await store.findClaimedApply(scope, apply),
      now: scope.now,
    }))
    if (row === null || !isApplyOpen(row.state)) throw leaseLost()
    if (row.state === 'planning' || row.work === null) {
      await endApply(deps, apply, 'abandoned', null)
      throw leaseLost()
    }
    const step = applySteps[row.state]
    const { refusal: error, retained } = await runStep(deps, { row, now }, step.batch)
    const refusal = error === null ? null : await explain(error, step.batch)
    const next = refusal === null ? step.next : (step.onRefusal ?? step.next)
    undoneBy ??= step.onRefusal === null ? null : refusal
    const work = workAfter(row.work, step, { refusal, retained })
    if (step.isUndo && refusal !== null) {
      const { organizationId, id } = row
      deps.logger.error({ err: refusal, organizationId, apply: id }, 'undo was rejected')
    }
    if (next === 'done') return finish(deps, apply, { ...row, work })
    if (next === 'undone') {
      if (step.isUndo) undoneBy = await recordUndone(deps, { ...row, work }, undoneBy)
      else await endApply(deps, apply, 'undone', undoneBy)
      throw undoneBy ?? leaseLost()
    }
    // The cause of an undo stays in the journal.
    const cause = step.isUndo ? {} : errorField(refusal)
    await recordProgress(deps, apply, { state: next, work, ...cause })
    faultPoint(`apply.${next}`)
  }
}

/**
 * Age after which a batch that fails with an upstream error counts as rejected; otherwise it blocks
 * every other apply. A repeat of a batch that took effect succeeds. Unreachable services are
 * retried without limit.
 */
const GIVE_UP_MS = 15 * 60_000

interface StepResult {
  /** Null when the batch took effect, now or earlier. */
  refusal: unknown
  /** Names of integrations that the undo could not delete. */
  retained: readonly string[]
}

/** Throws when the outcome of the batch is unknown. */
const runStep = async (
  deps: ConfigurationDeps,
  { row, now }: { row: ApplyRow; now: Date },
  name: keyof ApplyBatches,
): Promise<StepResult> => {
  const batches = row.work?.batches
  try {
    const retained =
      batches === undefined ? [] : await sendBatch[name](deps, internalCallOptions(row), batches)
    faultPoint(`apply.after_${name}`)
    return { refusal: null, retained }
  } catch (error) {
    const isOld = now.getTime() - row.createdAt.getTime() > GIVE_UP_MS
    const isGivenUp = isOld && error instanceof AppError && error.code === 'UPSTREAM_ERROR'
    if (isClientError(error) || isGivenUp) return { refusal: error, retained: [] }
    throw error
  }
}

/** Work with the report of a step that counts as done although it was rejected or incomplete. */
const workAfter = (
  work: ApplyWork,
  { isUndo, onRefusal, resources }: (typeof applySteps)[keyof typeof applySteps],
  { refusal, retained }: StepResult,
): ApplyWork => {
  if (isUndo) {
    const remainder = undoRemainder(plurals[resources] ?? resources, retained, refusal)
    return { ...work, remainder: (work.remainder ?? '') + remainder }
  }
  if (refusal === null || onRefusal !== null) return work
  const reason = refusal instanceof AppError ? refusal.message : 'no answer'
  const plural = plurals[resources] ?? resources
  const warning = `${plural[0]?.toUpperCase()}${plural.slice(1)} were not deleted: ${reason}`
  const { applied } = work
  const deleted = applied.deleted.filter(({ resourceType }) => resourceType !== resources)
  return { ...work, applied: { ...applied, deleted, warnings: [...applied.warnings, warning] } }
}

const plurals: Partial<Record<ConfigResourceType, string>> = {
  integration: 'integrations',
  notification_channel: 'notification channels',
}

/** Returns the part of the error message that lists the changes left by an undo. */
const undoRemainder = (
  resources: string,
  retained: readonly string[],
  refusal: unknown,
): string => {
  if (retained.length > 0)
    return `; ${resources} now in use by components were not deleted: ${retained.join(', ')}`
  return refusal instanceof Error
    ? `; changes to ${resources} could not be undone: ${refusal.message}`
    : ''
}

/** Records an undone apply and its cause in the audit log; returns the error to throw. */
const recordUndone = async (
  { database }: ConfigurationDeps,
  row: ApplyRow,
  cause: unknown,
): Promise<unknown> => {
  const { organizationId, actor } = row
  const remainder = row.work?.remainder ?? ''
  // A process that claimed the apply later has the cause from the journal only.
  const why = cause instanceof Error ? cause.message : (row.error ?? 'a service rejected a change')
  const reason = `${why}${remainder}`.slice(0, MAX_ERROR)
  await transact(database, { organizationId, actor }, async (scope) => {
    const isSaved = await store.saveProgress(scope, row, { state: 'undone', error: reason })
    if (!isSaved) throw leaseLost()
    return { result: undefined, events: [], audit: [auditUndoneApply(row, reason)] }
  })
  if (remainder === '' || !(cause instanceof AppError)) return cause
  return new AppError(cause.code, reason, cause.details, cause.headers)
}

/** Inserts the version, its event and its audit entry in the transaction that ends the apply. */
const finish = async (
  { database }: ConfigurationDeps,
  apply: ClaimedApply,
  row: ApplyRow,
): Promise<ConfigApplyResult> => {
  const { organizationId, actor, work } = row
  if (work === null) throw leaseLost()
  const { applied, version: newVersion } = work
  const result = await transact(database, { organizationId, actor }, async (scope) => {
    const isSaved = await store.saveProgress(scope, apply, { state: 'done' })
    if (!isSaved) throw leaseLost()
    if (newVersion === null) return { result: applied }
    const version = newVersionRow(newVersion, { organizationId, actor, applied, now: scope.now })
    await store.insertVersion(scope, version)
    return {
      result: applied,
      events: [appliedEvent(version)],
      audit: [auditApply(version, applied)],
    }
  })
  faultPoint('apply.done')
  return result
}

const recordProgress = async (
  deps: ConfigurationDeps,
  apply: ClaimedApply,
  to: store.ApplyProgress,
): Promise<void> => {
  const isSaved = await write(deps.database, apply, (scope) => store.saveProgress(scope, apply, to))
  if (!isSaved) throw leaseLost()
}

const MAX_ERROR = 500

const errorField = (cause: unknown): { error?: string } =>
  cause instanceof Error ? { error: cause.message.slice(0, MAX_ERROR) } : {}

const endApply = async (
  deps: ConfigurationDeps,
  apply: ClaimedApply,
  state: 'undone' | 'abandoned',
  cause: unknown,
): Promise<void> => {
  await write(deps.database, apply, (scope) =>
    store.saveProgress(scope, apply, { state, ...errorField(cause) }),
  )
}

const leaseLost = (): AppError => conflict('already_running', 'Another replica took over the apply')
