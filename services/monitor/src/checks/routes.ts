/** Operations that core calls: manual checks and current states of targets. */

import {
  type Body,
  type Check,
  checkOperations,
  conflict,
  isFlapping,
  isPrivateLocation,
  listReply,
  type Monitor,
  notFound,
  presentSeriesRange,
  seriesRangeOf,
  unavailable,
  waitsForPush,
} from '@status-page/contracts'
import type { Database, Scope } from '@status-page/postgres'
import { isLoss, type RunProbe } from '@status-page/probes'
import { liveLocations, nextSlot, slotAt } from '@status-page/schedule'
import { type Call, createRoutes, type Route } from '@status-page/service'
import { listExpectedPings } from '../heartbeats/store.ts'
import { listByIds, notifyTargetChanged, type TargetRow } from '../targets/store.ts'
import { listIcmpLocations, listPrivateLocations } from '../verdicts/location-heartbeats.ts'
import type { TargetState } from '../verdicts/rules.ts'
import {
  listStates,
  listTargetVerdicts,
  type StateRow,
  type VerdictRow,
} from '../verdicts/store.ts'
import { locationsOf } from '../verdicts/verdict.ts'
import { recordChecks } from './record/record.ts'
import type { Stored } from './record/results.ts'
import { type CheckRow, checkRowOf } from './record/rows.ts'
import {
  averageResponseTimes,
  lastCheckTimes,
  listChecks,
  listNewest,
  listPoints,
} from './series/history.ts'
import { checkOf } from './view.ts'

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
  const { database } = options
  return createRoutes(checkOperations, {
    run: (call) => runManual(options, call),

    recent: async ({ body, read }) => {
      const live = await liveLocations(database)
      return read(async (scope) => {
        const own = (await listPrivateLocations(scope)).filter(({ isLive }) => isLive)
        const all = [...live, ...own.map(({ location }) => location)]
        return { targets: await recentOf(scope, body, all) }
      })
    },

    summaries: ({ body: { componentIds }, read }) =>
      read(async (scope) => {
        const [times, averages] = await Promise.all([
          lastCheckTimes(scope, componentIds),
          averageResponseTimes(scope, componentIds),
        ])
        const targets = [...times].map(([componentId, checkedAt]) => ({
          componentId,
          lastCheckAt: checkedAt.toISOString(),
          averageResponseTime: averages.get(componentId) ?? null,
        }))
        return { targets }
      }),

    async locations({ read }) {
      const own = await read(listPrivateLocations)
      const pinging = own.filter(({ canPing }) => canPing)
      return {
        locations: [...(await liveLocations(database)), ...own.map(({ location }) => location)],
        icmpLocations: [
          ...(await listIcmpLocations(database)),
          ...pinging.map(({ location }) => location),
        ],
      }
    },

    list: ({ params, query, read }) =>
      read(async (scope) => {
        const { rows, total } = await listChecks(scope, params.id, query)
        return listReply(query, total, rows.map(checkOf))
      }),

    responseTimes: ({ params, query, read }) =>
      read(async (scope) => {
        const range = seriesRangeOf(query, scope.now)
        const series = { ...range, location: query.location }
        return {
          componentId: params.id,
          ...presentSeriesRange(range),
          points: await listPoints(scope, params.id, series),
        }
      }),
  })
}

/** Checks a target now, from the location of this replica. */
const runManual = async (
  { runProbe, location, onStored, isNetworkLost }: CheckRoutesOptions,
  call: Call<typeof checkOperations.run>,
): Promise<Check> => {
  const { id } = call.params
  const [target] = await call.read((scope) => listByIds(scope, [id]))
  if (target === undefined || target.version < call.body.version) throw notFound()
  const { probe } = target
  if (waitsForPush(probe) || target.timeoutMs === null) {
    throw conflict('invalid_state', 'A heartbeat waits for pings')
  }
  if (locationsOf(target).every(isPrivateLocation)) {
    throw conflict('invalid_state', 'Only agents check the component, at their own times')
  }
  const timeoutMs = Math.min(target.timeoutMs, MAX_MANUAL_MS)
  const result = await runProbe({ ...target, probe, timeoutMs })
  if (result === null) throw conflict('invalid_state', 'The component has no result yet')
  if (isLoss(result) && (await isNetworkLost())) {
    throw unavailable(
      'The monitor has no network connection: the status of the component is unknown',
    )
  }
  const slotMs = manualSlot(target, result.checkedAtMs)
  const when = { slotMs, location, trigger: 'manual' } as const
  const row = checkRowOf(target, result, when)
  await call.change(async (scope) => {
    const check = { target, result, row, lease: null }
    const { events } = await recordChecks(scope, location, [check])
    await notifyTargetChanged(scope, id)
    return { result: undefined, events, audit: [] }
  })
  onStored(target, result.checkedAtMs)
  return checkOf(row)
}

/** Slot of a manual check, which takes none of the schedule. */
const manualSlot = ({ componentId, intervalSeconds }: TargetRow, checkedAtMs: number): number => {
  const isScheduled =
    intervalSeconds !== null &&
    slotAt(componentId, intervalSeconds * 1000, checkedAtMs) === checkedAtMs
  return isScheduled ? checkedAtMs - 1 : checkedAtMs
}

const recentOf = async (
  scope: Scope,
  { componentIds, checksPerTarget }: Body<typeof checkOperations.recent>,
  live: readonly string[],
) => {
  const targets = await listByIds(scope, componentIds)
  const ids = targets.map(({ componentId }) => componentId)
  const heartbeats = targets.filter(({ intervalSeconds }) => intervalSeconds === null)
  // One statement each, sent together.
  const [allStates, verdicts, found, averages, expected] = await Promise.all([
    listStates(scope, targets),
    listTargetVerdicts(scope, targets),
    listNewest(scope, ids, Math.max(1, checksPerTarget)),
    averageResponseTimes(scope, ids),
    listExpectedPings(
      scope,
      heartbeats.map((one) => one.componentId),
    ),
  ])
  const states = Map.groupBy(allStates, (state) => state.componentId)
  const verdictOf = new Map(verdicts.map((verdict) => [verdict.componentId, verdict]))
  const newest = found.toSorted(
    (left, right) => right.checkedAt.getTime() - left.checkedAt.getTime(),
  )
  const checksOf = Map.groupBy(newest, ({ componentId }) => componentId)
  return targets.map((target) => {
    const { componentId } = target
    const rows = checksOf.get(componentId) ?? []
    const monitor = monitorOf({
      target,
      newest: rows[0],
      expectedAt: expected.get(componentId) ?? null,
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
  states: readonly (TargetState & CertificateState)[]
  verdict: VerdictRow | undefined
  newest: CheckRow | undefined
  /** Next expected ping of a heartbeat. */
  expectedAt: Date | null
  now: Date
  /** Locations with a live replica. */
  live: readonly string[]
}

type CertificateState = Pick<
  StateRow,
  'certificateExpiresAt' | 'certificateSubject' | 'certificateIssuer'
>

/** Monitor of a component; of several locations the worst one determines the counts. */
const monitorOf = ({ target, states, verdict, newest, expectedAt, now, live }: Seen): Monitor => ({
  kind: target.probe.kind,
  isEnabled: target.isEnabled,
  interval: waitsForPush(target.probe) ? target.probe.periodSeconds : target.intervalSeconds,
  derivedStatus: verdict?.derivedStatus ?? 'operational',
  consecutiveFailures: Math.max(0, ...states.map(({ runs }) => runs.bad?.[0] ?? 0)),
  consecutiveSuccesses: leastOf(states.map(({ runs }) => runs.good?.[0] ?? 0)),
  lastCheckAt: newest?.checkedAt.toISOString() ?? null,
  nextCheckAt:
    target.isEnabled && locationsOf(target).some((location) => live.includes(location))
      ? nextCheckOf(target, expectedAt, now)
      : null,
  ...certificateOf(states),
  isFlapping: isFlapping(verdict?.changedAt ?? [], now),
  unservedLocations: locationsOf(target).filter((location) => !live.includes(location)),
})

/** Certificate with the earliest expiry. */
const certificateOf = (states: readonly CertificateState[]) => {
  const [first] = states
    .filter(({ certificateExpiresAt }) => certificateExpiresAt !== null)
    .toSorted(
      (left, right) => Number(left.certificateExpiresAt) - Number(right.certificateExpiresAt),
    )
  return {
    certificateExpiresAt: first?.certificateExpiresAt?.toISOString() ?? null,
    certificateSubject: first?.certificateSubject ?? null,
    certificateIssuer: first?.certificateIssuer ?? null,
  }
}

const leastOf = (counts: readonly number[]): number =>
  counts.length === 0 ? 0 : Math.min(...counts)

const nextCheckOf = (
  { componentId, intervalSeconds }: TargetRow,
  expectedAt: Date | null,
  now: Date,
): string | null =>
  intervalSeconds === null
    ? (expectedAt?.toISOString() ?? null)
    : new Date(nextSlot(componentId, intervalSeconds * 1000, now.getTime())).toISOString()
