/**
 * Evaluation of service levels: their windows, the histories of their components, and the result.
 */
import type { Cooperative, EventDraft, SlaEvaluation } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { runCooperatively } from '@status-page/service'
import { statusPeriodsInSpan } from '../components/uptime/history.ts'
import type { TimeSpan } from '../components/uptime/uptime.ts'
import { activeMaintenanceSpans } from '../maintenances/lists.ts'
import type { SlaRow } from '../tables.ts'
import { markMaintenances } from './maintenance-windows.ts'
import { measureSla, requiredHistorySpan, type SlaHistories } from './measurement.ts'
import { applyEvaluation, evaluateWindow } from './rules.ts'
import * as store from './store.ts'
import { missedTargets, targetMissedEvent } from './targets.ts'
import { presentWindow } from './windows.ts'

export const EVALUATION_INTERVAL_MS = 60_000

/** Current values of service levels; one query reads all histories. */
export const loadCurrentValues = async (
  scope: Scope,
  rows: readonly SlaRow[],
): Promise<Map<string, SlaEvaluation>> => {
  if (rows.length === 0) return new Map()
  const { now } = scope
  const withWindows = rows.map((row) => ({ row, window: presentWindow(row, now) }))
  const from = Math.min(
    ...withWindows.map(({ row, window }) => requiredHistorySpan(window, row).from),
  )
  const ids = new Set(rows.flatMap(({ componentIds }) => componentIds))
  const histories = await loadSlaHistories(scope, [...ids], { from, to: now.getTime() })
  return runCooperatively(evaluateAll(withWindows, histories, now))
}

function* evaluateAll(
  withWindows: readonly { row: SlaRow; window: TimeSpan }[],
  histories: SlaHistories,
  now: Date,
): Cooperative<Map<string, SlaEvaluation>> {
  const current = new Map<string, SlaEvaluation>()
  for (const { row, window } of withWindows) {
    const measurement = yield* measureSla(historiesOfSla(row, histories), row, window, now)
    current.set(row.id, evaluateWindow(measurement, row, window, now))
    yield
  }
  return current
}

/** Status histories of the span, with the parts marked that fall into a maintenance. */
export const loadSlaHistories = async (
  scope: Scope,
  ids: readonly string[],
  span: TimeSpan,
): Promise<SlaHistories> => {
  const [periods, windows] = [
    await statusPeriodsInSpan(scope, ids, span),
    await activeMaintenanceSpans(scope, ids, span),
  ]
  return runCooperatively(markMaintenances(periods, windows))
}

/** Histories of existing components; deleted ones are not counted. */
export const historiesOfSla = ({ componentIds }: SlaRow, all: SlaHistories): SlaHistories =>
  new Map(componentIds.map((id) => [id, all.get(id) ?? []]))

/** Evaluates rows that are locked or new, and returns events of status changes. */
export const evaluateSlas = async (
  scope: Scope,
  rows: readonly SlaRow[],
): Promise<{ rows: SlaRow[]; events: EventDraft[] }> => {
  const current = await loadCurrentValues(scope, rows)
  const dueAt = new Date(scope.now.getTime() + EVALUATION_INTERVAL_MS)
  const outcomes = rows.map((row) =>
    applyEvaluation(row, current.get(row.id) ?? row.current, dueAt),
  )
  return {
    rows: outcomes.map(({ row }) => row),
    events: outcomes.flatMap(({ events }) => events),
  }
}

/**
 * Returns events of targets that incidents missed since the last evaluation; each raises the
 * version of its row.
 */
export const recordMissedTargets = async (
  scope: Scope,
  rows: readonly SlaRow[],
): Promise<{ rows: SlaRow[]; events: EventDraft[] }> => {
  const withTargets = rows.filter(hasTargets)
  if (withTargets.length === 0) return { rows: [...rows], events: [] }
  const watched = await store.listPossiblyMissedIncidents(
    scope,
    withTargets.map(({ id }) => id),
  )
  const latest = new Map(rows.map((row) => [row.id, row]))
  const found = watched.flatMap(({ slaId, incident }) =>
    missedTargets(latest.get(slaId) as SlaRow, incident, scope.now).map((miss) => ({
      ...miss,
      slaId,
      incidentId: incident.id,
      incident,
    })),
  )
  const inserted = await store.recordTargetMisses(scope, found)
  const events = found
    .filter((miss) => inserted.has(store.targetMissKey(miss)))
    .map((miss) => {
      const row = latest.get(miss.slaId) as SlaRow
      const published = { ...row, version: row.version + 1 }
      latest.set(row.id, published)
      return targetMissedEvent(published, miss.incident, miss)
    })
  return { rows: [...latest.values()], events }
}

const hasTargets = (row: SlaRow): boolean =>
  row.responseTargetMinutes !== null || row.resolutionTargetMinutes !== null
