/** Uptime of the shown components in a month, and the incidents of each of its days. */
import { type Cooperative, notFound, type PublicIncident } from '@status-page/contracts'
import { mapCooperatively, runCooperatively } from '@status-page/service'
import { DateTime } from 'luxon'
import { daysInSpan } from '../../../components/uptime/days.ts'
import { statusPeriodsInSpan } from '../../../components/uptime/history.ts'
import {
  type CalendarDay,
  historyStart,
  startOfMinute,
  uptimeByDay,
  uptimePercentage,
  worstStatusOverTime,
} from '../../../components/uptime/uptime.ts'
import { listIncidents } from '../../../incidents/store.ts'
import type { PageView } from '../../access/page-access.ts'
import { loadIncidentDetails, projectIncidents } from '../../public/page-queries.ts'
import type { ShownComponent } from '../../settings/shown-components.ts'
import { firstMonthOf, MAX_LISTED, MONTH } from './queries.ts'

export interface ComponentMonth {
  id: string
  name: string
  /** Null before the component was created. */
  uptimePercentage: number | null
  /** Start of the history of the component; null when it covers the whole month. */
  since: string | null
  days: ReturnType<typeof uptimeByDay>
}

export interface MonthIncident {
  incident: PublicIncident
  /**
   * Positions of the components whose bars include the incident, separated by spaces; null for an
   * incident of the whole page.
   */
  positions: string | null
}

export interface UptimeMonth {
  /** Month as `2026-08`. */
  month: string
  /** Null when there is no earlier month with content. */
  earlier: string | null
  later: string | null
  components: ComponentMonth[]
  /** Days of the month up to today, newest first, with the incidents that were open on them. */
  days: { date: string; incidents: MonthIncident[] }[]
}

/** Uptime in a month in the page's time zone; 404 when the page shows no uptime. */
export const loadUptimeMonth = async (
  view: PageView,
  given: string | undefined,
): Promise<UptimeMonth> => {
  const { scope, page } = view
  const shown = [...view.shown.values()].filter(({ showUptime }) => showUptime)
  if (!page.showUptimePercentage || shown.length === 0) throw notFound()
  const zone = { zone: page.timezone }
  const present = DateTime.fromJSDate(scope.now, zone).startOf('month')
  const start = given === undefined ? present : DateTime.fromFormat(given, MONTH, zone)
  if (start > present) throw notFound()
  const span = {
    from: start.toMillis(),
    to: Math.min(start.plus({ months: 1 }).toMillis(), scope.now.getTime()),
  }
  const days = daysInSpan(span, page.timezone)
  const incidents = await loadIncidentsIn(view, shown, span)
  return {
    month: start.toFormat(MONTH),
    earlier: start > (await firstMonthOf(view)) ? start.minus({ months: 1 }).toFormat(MONTH) : null,
    later: start < present ? start.plus({ months: 1 }).toFormat(MONTH) : null,
    components: await loadComponentMonths(view, shown, { ...span, days }),
    days: days.toReversed().map((day) => ({
      date: day.date,
      incidents: incidents.filter(({ incident }) => isOpenOn(incident, day)),
    })),
  }
}

type MonthSpan = { from: number; to: number; days: readonly CalendarDay[] }

const loadComponentMonths = async (
  { scope }: PageView,
  shown: readonly ShownComponent[],
  span: MonthSpan,
): Promise<ComponentMonth[]> => {
  const ids = new Set(shown.flatMap(({ subtree }) => subtree.map(({ id }) => id)))
  const histories = await statusPeriodsInSpan(scope, [...ids], span)
  const now = scope.now.getTime()
  return runCooperatively(
    (function* () {
      const months: ComponentMonth[] = []
      for (const { component, name, subtree } of shown) {
        const history = worstStatusOverTime(subtree.map(({ id }) => histories.get(id) ?? []))
        const start = historyStart(component.createdAt, history)
        const from = Math.max(span.from, start)
        const to = Math.min(span.to, startOfMinute(now))
        months.push({
          id: component.id,
          name,
          uptimePercentage: uptimePercentage(history, { from, to }),
          since: start > span.from ? new Date(start).toISOString() : null,
          days: uptimeByDay(history, span.days, now),
        })
        yield
      }
      return months
    })(),
  )
}

const loadIncidentsIn = async (
  view: PageView,
  shown: readonly ShownComponent[],
  { from, to }: Pick<MonthSpan, 'from' | 'to'>,
): Promise<MonthIncident[]> => {
  const { rows } = await listIncidents(view.scope, {
    page: 1,
    pageSize: MAX_LISTED,
    sortBy: 'startedAt',
    startedTo: new Date(to),
    openAfter: new Date(from),
    onlyShown: [...view.shown.keys()],
    retainedOn: view.page.id,
  })
  const details = await loadIncidentDetails(view.scope, rows)
  const incidents = await projectIncidents(view, details)
  return runCooperatively(
    (function* () {
      const positions = yield* positionsByComponent(shown)
      return yield* mapCooperatively(incidents, (incident, index) => {
        const isOfPage = details[index]?.components.length === 0
        return { incident, positions: isOfPage ? null : positionsOf(incident, positions) }
      })
    })(),
  )
}

/** Positions of a component and of those above it, whose bars include it, by its id. */
type Positions = ReadonlyMap<string, readonly number[]>

function* positionsByComponent(shown: readonly ShownComponent[]): Cooperative<Positions> {
  const positions = new Map<string, number[]>()
  for (const [position, { subtree }] of shown.entries()) {
    for (const { id } of subtree) {
      const known = positions.get(id)
      if (known === undefined) positions.set(id, [position])
      else known.push(position)
    }
    yield
  }
  return positions
}

const positionsOf = ({ components }: PublicIncident, positions: Positions): string =>
  [...new Set(components.flatMap(({ id }) => positions.get(id) ?? []))].join(' ')

const isOpenOn = ({ startedAt, resolvedAt }: PublicIncident, { from, to }: CalendarDay): boolean =>
  Date.parse(startedAt) < to && (resolvedAt === null || Date.parse(resolvedAt) >= from)
