/** Report of a service level over a span, for the API and as a file. Pure. */
import { invalid, MAX_REPORTED_OUTAGES, MAX_SLA_DAYS, type SlaReport } from '@status-page/contracts'
import { stringify } from 'csv-stringify/sync'
import { DAY_MS, type TimeSpan } from '../components/uptime/uptime.ts'
import type { SlaRow } from '../tables.ts'
import type { Outage, SlaMeasurement, SlaTotals } from './measurement.ts'
import { dataStartOf, uptimePercentageOf, windowDowntimeBudgetMs } from './rules.ts'
import { presentSlaIncident, type SlaIncidentTimes } from './targets.ts'
import { presentWindow } from './windows.ts'

const SECOND_MS = 1_000

/** Requested span: the current window by default, at most 366 days. */
export const reportSpan = (
  sla: SlaRow,
  { from, to }: { from?: string; to?: string },
  now: Date,
): TimeSpan => {
  const present = presentWindow(sla, now)
  const span = {
    from: from === undefined ? present.from : Date.parse(from),
    to: to === undefined ? present.to : Date.parse(to),
  }
  const field = from === undefined ? 'to' : 'from'
  if (span.from > span.to) throw invalid({ field, message: 'from must not be after to' })
  if (span.to - span.from > MAX_SLA_DAYS * DAY_MS) {
    throw invalid({ field, message: `from and to can be at most ${MAX_SLA_DAYS} days apart` })
  }
  return span
}

export const buildReport = (input: {
  sla: SlaRow
  span: TimeSpan
  measurement: SlaMeasurement
  /** Names of existing components, by id. */
  names: ReadonlyMap<string, string>
  incidents: readonly SlaIncidentTimes[]
  now: Date
}): SlaReport => {
  const { sla, span, measurement, names, incidents, now } = input
  const { countedMs, downtimeMs } = measurement
  const budget = windowDowntimeBudgetMs(measurement, sla, span)
  return {
    slaId: sla.id,
    name: sla.name,
    from: timeOf(span.from),
    to: timeOf(span.to),
    targetPercentage: sla.targetPercentage,
    percentage: uptimePercentageOf(measurement),
    since: dataStartOf(measurement),
    met: countedMs === 0 ? null : downtimeMs <= budget,
    totalSeconds: countedMs / SECOND_MS,
    downtimeSeconds: downtimeMs / SECOND_MS,
    excludedSeconds: measurement.excludedMs / SECOND_MS,
    budgetTotalSeconds: budget / SECOND_MS,
    budgetRemainingSeconds: (budget - downtimeMs) / SECOND_MS,
    components: sla.componentIds.map((id) => ({
      id,
      name: names.get(id) ?? null,
      ...shareOf(measurement.components.get(id)),
    })),
    outageCount: measurement.outages.length,
    outages: longest(measurement.outages).map(({ componentId, status, from, to, isOngoing }) => ({
      componentId,
      status,
      startedAt: timeOf(from),
      endedAt: isOngoing ? null : timeOf(to),
      seconds: (to - from) / SECOND_MS,
    })),
    incidents: incidents.map((incident) => presentSlaIncident(sla, incident, now)),
  }
}

/** Longest outages, in their original order. */
const longest = (outages: readonly Outage[]): readonly Outage[] => {
  if (outages.length <= MAX_REPORTED_OUTAGES) return outages
  const lengthOf = ({ from, to }: Outage) => to - from
  const byLength = outages.toSorted((left, right) => lengthOf(right) - lengthOf(left))
  const listed = new Set(byLength.slice(0, MAX_REPORTED_OUTAGES))
  return outages.filter((outage) => listed.has(outage))
}

const none: SlaTotals = { countedMs: 0, excludedMs: 0, downtimeMs: 0 }

const shareOf = (totals: SlaTotals = none) => ({
  percentage: uptimePercentageOf(totals),
  downtimeSeconds: totals.downtimeMs / SECOND_MS,
})

const columns = [
  'componentId',
  'status',
  'startedAt',
  'endedAt',
  'seconds',
] as const satisfies readonly (keyof SlaReport['outages'][number])[]

/** CSV with column names and one line per listed outage. */
export const outagesCsv = ({ outages }: SlaReport): string =>
  stringify(
    outages.map((outage) => columns.map((name) => outage[name])),
    { header: true, columns: [...columns], record_delimiter: 'windows' },
  )

const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString()
