/** Operations that core calls: manual checks and current states of targets. */
import {
  type Body,
  checkOperations,
  conflict,
  invalid,
  isFlapping,
  listReply,
  type Monitor,
  notFound,
  type Query,
  unavailable,
} from '@status-page/contracts'
import type { Database, Scope } from '@status-page/postgres'
import { liveLocations, nextSlot } from '@status-page/schedule'
import { createRoutes, type Route } from '@status-page/service'
import type { RunProbe } from '../probes/index.ts'
import { isLoss } from '../probes/probe.ts'
import { listByIds, notifyTargetChanged, type TargetRow } from '../targets/store.ts'
import { checkOf, type TargetState } from '../verdicts/rules.ts'
import { listStates, listTargetVerdicts, type VerdictRow } from '../verdicts/store.ts'
import { locationsOf } from '../verdicts/verdict.ts'
import { recordChecks } from './record/record.ts'
import type { Stored } from './record/results.ts'
import { type CheckRow, checkRowOf } from './record/rows.ts'
import {
  averageResponseTimes,
  listChecks,
  listNewest,
  listPoints,
  type SeriesQuery,
} from './series/history.ts'

/** Maximum duration of a manual check; its caller waits for the response. */
const MAX_MANUAL_MS = 25_000

export interface CheckRoutesOptions {
  database: Database
  runProbe: RunProbe
  location: string
  onStored: Stored
  isNetworkLost: () => Promise<boolean>
}

export const checkRoutes = (options: CheckRoutesOptions): Route[] => {
  const { database, runProbe, location, onStored, isNetworkLost } = options
  return createRoutes(checkOperations, {
    async run(call) {
      const { id } = call.params
      const [target] = await call.read((scope) => listByIds(scope, [id]))
      if (target === undefined || target.version < call.body.version) throw notFound()
      const timeoutMs = Math.min(target.timeoutMs, MAX_MANUAL_MS)
      const result = await runProbe({ ...target, timeoutMs })
      if (result === null) throw conflict('invalid_state', 'The component has no result yet')
      if (isLoss(result) && (await isNetworkLost())) {
        throw unavailable(
          'The monitor has no network connection: the status of the component is unknown',
        )
      }
      const when = { slotMs: result.checkedAtMs, location, trigger: 'manual' } as const
      const row = checkRowOf(target, result, when)
      await call.change(async (scope) => {
        const made = { target, result, row, lease: null }
        const { events } = await recordChecks(scope, location, [made])
        await notifyTargetChanged(scope, id)
        return { result: undefined, events, audit: [] }
      })
      onStored(target, result.checkedAtMs)
      return checkOf(row)
    },

    recent: async ({ body, read }) => {
      const live = await liveLocations(database)
      return read(async (scope) => ({ targets: await recentOf(scope, body, live) }))
    },

    locations: async () => ({ locations: await liveLocations(database) }),

    list: ({ params, query, read }) =>
      read(async (scope) => {
        const { rows, total } = await listChecks(scope, params.id, query)
        return listReply(query, total, rows.map(checkOf))
      }),

    responseTimes: ({ params, query, read }) =>
      read(async (scope) => {
        const series = seriesOf(query, scope.now)
        const points = await listPoints(scope, params.id, series)
        return {
          componentId: params.id,
          from: series.from.toISOString(),
          to: series.to.toISOString(),
          resolution: series.seconds,
          points,
        }
      }),
  })
}

const recentOf = async (
  scope: Scope,
  { componentIds, checksPerTarget }: Body<typeof checkOperations.recent>,
  live: readonly string[],
) => {
  const targets = await listByIds(scope, componentIds)
  const ids = targets.map(({ componentId }) => componentId)
  const states = Map.groupBy(await listStates(scope, ids), (state) => state.componentId)
  const verdicts = await listTargetVerdicts(scope, ids)
  const verdictOf = new Map(verdicts.map((verdict) => [verdict.componentId, verdict]))
  const found = await listNewest(scope, ids, Math.max(1, checksPerTarget))
  const newest = found.toSorted(
    (left, right) => right.checkedAt.getTime() - left.checkedAt.getTime(),
  )
  const checksOf = Map.groupBy(newest, ({ componentId }) => componentId)
  const averages = await averageResponseTimes(scope, ids)
  return targets.map((target) => {
    const { componentId } = target
    const rows = checksOf.get(componentId) ?? []
    const monitor = monitorOf({
      target,
      newest: rows[0],
      now: scope.now,
      live,
      states: states.get(componentId) ?? [],
      verdict: verdictOf.get(componentId),
    })
    return {
      componentId,
      monitor,
      averageResponseTime: averages.get(componentId) ?? null,
      checks: rows.slice(0, checksPerTarget).map(checkOf),
    }
  })
}

interface Seen {
  target: TargetRow
  /** One state per location. */
  states: readonly (TargetState & { certificateExpiresAt: Date | null })[]
  verdict: VerdictRow | undefined
  newest: CheckRow | undefined
  now: Date
  /** Locations with a live replica. */
  live: readonly string[]
}

/** Monitor of a component; of several locations the worst one determines the counts. */
const monitorOf = ({ target, states, verdict, newest, now, live }: Seen): Monitor => ({
  kind: target.probe.kind,
  isEnabled: target.isEnabled,
  interval: target.intervalSeconds,
  derivedStatus: verdict?.derivedStatus ?? 'operational',
  consecutiveFailures: Math.max(0, ...states.map(({ runs }) => runs.bad?.[0] ?? 0)),
  consecutiveSuccesses: leastOf(states.map(({ runs }) => runs.good?.[0] ?? 0)),
  lastCheckAt: newest?.checkedAt.toISOString() ?? null,
  nextCheckAt:
    target.isEnabled && locationsOf(target).some((location) => live.includes(location))
      ? nextCheckOf(target, now)
      : null,
  certificateExpiresAt: earliestOf(states)?.toISOString() ?? null,
  isFlapping: isFlapping(verdict?.changedAt ?? [], now),
  unservedLocations: locationsOf(target).filter((location) => !live.includes(location)),
})

const earliestOf = (states: readonly Seen['states'][number][]): Date | undefined =>
  states
    .flatMap(({ certificateExpiresAt }) => certificateExpiresAt ?? [])
    .toSorted((left, right) => left.getTime() - right.getTime())[0]

const leastOf = (counts: readonly number[]): number =>
  counts.length === 0 ? 0 : Math.min(...counts)

const nextCheckOf = ({ componentId, intervalSeconds }: TargetRow, now: Date): string =>
  new Date(nextSlot(componentId, intervalSeconds * 1000, now.getTime())).toISOString()

const FIVE_MINUTES = 300
const HOUR = 3600
const DAY_MS = 86_400_000

/** Maximum range by resolution: about 2,000 points per location. */
const MAX_RANGE_MS: Record<number, number> = {
  [FIVE_MINUTES]: 7 * DAY_MS,
  [HOUR]: 366 * DAY_MS,
}

const FINE_RANGE_MS = 2 * DAY_MS

const seriesOf = (query: Query<typeof checkOperations.responseTimes>, now: Date): SeriesQuery => {
  const to = query.to === undefined ? now : new Date(query.to)
  const from = query.from === undefined ? new Date(to.getTime() - DAY_MS) : new Date(query.from)
  const rangeMs = to.getTime() - from.getTime()
  if (rangeMs < 0) throw invalid({ field: 'from', message: 'from must not be after to' })
  const chosen = rangeMs <= FINE_RANGE_MS ? FIVE_MINUTES : HOUR
  const seconds = query.resolution === undefined ? chosen : Number(query.resolution)
  const maxMs = MAX_RANGE_MS[seconds] ?? 0
  if (rangeMs > maxMs) {
    const message = `from must be at most ${maxMs / DAY_MS} days before to at this resolution`
    throw invalid({ field: 'from', message })
  }
  return { from, to, seconds, location: query.location }
}
