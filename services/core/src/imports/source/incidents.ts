/** Incidents and maintenances of a Statuspage as input of an import. Pure. */
import {
  type ComponentStatus,
  type Impact,
  type IncidentStatus,
  MAX_INCIDENT_MESSAGE,
  MAX_INCIDENT_TITLE,
  type MaintenanceStatus,
  type StatuspageDocuments,
} from '@status-page/contracts'
import type { Normalizer } from './normalizer.ts'
import { earliest, latest } from './times.ts'

export interface SourceUpdateInput<Status> {
  sourceId: string
  status: Status
  message: string
  /** Statuses by the component's id at the source. */
  componentStatuses: Record<string, ComponentStatus>
  at: Date
  displayAt: Date
}

interface SourceItemInput<Status> {
  sourceId: string
  title: string
  status: Status
  componentSourceIds: string[]
  /** Oldest first; never empty. */
  updates: SourceUpdateInput<Status>[]
  createdAt: Date
  updatedAt: Date
}

export interface SourceIncidentInput extends SourceItemInput<IncidentStatus> {
  impact: Impact
  startedAt: Date
  resolvedAt: Date | null
  /** Unpublished when `publishedAt` is null. */
  postmortem: { summary: string; publishedAt: Date | null } | null
}

export interface SourceMaintenanceInput extends SourceItemInput<MaintenanceStatus> {
  scheduledFor: Date
  scheduledUntil: Date
}

type Source = NonNullable<StatuspageDocuments['incidents']>[number]
type SourceUpdate = NonNullable<Source['incident_updates']>[number]

const MINUTE_MS = 60_000
/** Latest start whose end the API can still represent. */
const LAST_START = new Date(Date.UTC(9999, 11, 31, 23, 58))
const UNTITLED = 'Untitled'

/** Item with its place in the documents. */
interface Listed {
  source: Source
  field: string
}

export const incidentOf = (listed: Listed, normalizer: Normalizer): SourceIncidentInput => {
  const { source } = listed
  const createdAt = normalizer.pastTime(source.created_at, normalizer.now)
  const updatedAt = normalizer.pastTime(source.updated_at, createdAt)
  const status = incidentStatus(source.status)
  const item = itemOf(listed, normalizer, { status, statusOf: incidentStatus })
  const firstAt = item.updates[0]?.displayAt ?? createdAt
  const startedAt = earliest(normalizer.pastTime(source.started_at, firstAt), firstAt)
  const lastAt = item.updates.at(-1)?.displayAt ?? updatedAt
  const resolvedAt = normalizer.pastTime(source.resolved_at, lastAt)
  return {
    ...item,
    updates: withFirstStatuses(source, item),
    impact: impactOf(source.impact),
    createdAt,
    updatedAt,
    startedAt,
    resolvedAt: status === 'resolved' ? latest(startedAt, resolvedAt) : null,
    postmortem: status === 'resolved' ? postmortemOf(listed, normalizer, updatedAt) : null,
  }
}

/** The public API has the postmortem as an update, the v1 API as a field. */
const postmortemOf = (
  { source, field }: Listed,
  normalizer: Normalizer,
  updatedAt: Date,
): SourceIncidentInput['postmortem'] => {
  const review = source.incident_updates?.find((update) => update.status === 'postmortem')
  const body = review?.body ?? source.postmortem_body
  if (review === undefined && !body) return null
  const publishedAt =
    review === undefined
      ? (source.postmortem_published_at ?? null) &&
        normalizer.pastTime(source.postmortem_published_at, updatedAt)
      : normalizer.pastTime(review.display_at, normalizer.pastTime(review.created_at, updatedAt))
  const summary = normalizer.message(`${field}.postmortem`, body, MAX_INCIDENT_MESSAGE)
  return { summary: summary || UNTITLED, publishedAt: publishedAt || null }
}

/**
 * Updates with the statuses at the start of the incident: those before the first change of a
 * component or, where the source has no statuses, the one that corresponds to its impact.
 */
const withFirstStatuses = (
  { impact, incident_updates: given }: Source,
  { updates, componentSourceIds }: Pick<SourceIncidentInput, 'updates' | 'componentSourceIds'>,
): SourceUpdateInput<IncidentStatus>[] => {
  const [first, ...others] = updates
  if (first === undefined) return []
  const hasStatuses = updates.some((update) => Object.keys(update.componentStatuses).length > 0)
  const statuses = hasStatuses
    ? earlierStatuses(given ?? [], updates)
    : componentSourceIds.map((id) => [id, statusOfImpact[impact ?? 'none']] as const)
  return [
    {
      ...first,
      componentStatuses: { ...Object.fromEntries(statuses), ...first.componentStatuses },
    },
    ...others,
  ]
}

/** Statuses of components in outage at the first update that names them. */
const earlierStatuses = (
  given: readonly SourceUpdate[],
  updates: readonly SourceUpdateInput<IncidentStatus>[],
): [string, ComponentStatus][] => {
  const affected = new Map(given.map((update) => [update.id, update.affected_components ?? []]))
  const named = new Set<string>()
  const statuses: [string, ComponentStatus][] = []
  for (const { sourceId } of updates) {
    for (const { code, old_status: status } of affected.get(sourceId) ?? []) {
      if (code === undefined || named.has(code)) continue
      named.add(code)
      if (status !== undefined && status !== null && status !== 'operational') {
        statuses.push([code, status])
      }
    }
  }
  return statuses
}

/** Statuspage derives the impact of an incident from the statuses of its components. */
const statusOfImpact: Record<NonNullable<Source['impact']>, ComponentStatus> = {
  none: 'operational',
  minor: 'degraded_performance',
  major: 'partial_outage',
  critical: 'major_outage',
  maintenance: 'operational',
}

export const maintenanceOf = (listed: Listed, normalizer: Normalizer): SourceMaintenanceInput => {
  const { source, field } = listed
  const createdAt = normalizer.pastTime(source.created_at, normalizer.now)
  const wantedFor = new Date(source.scheduled_for ?? createdAt)
  const scheduledFor = wantedFor < LAST_START ? wantedFor : LAST_START
  const end = new Date(source.scheduled_until ?? source.resolved_at ?? scheduledFor)
  const scheduledUntil = end > scheduledFor ? end : new Date(scheduledFor.getTime() + MINUTE_MS)
  if (end <= scheduledFor)
    normalizer.warn(`${field}.scheduled_until`, 'is moved to after scheduled_for')
  const given = maintenanceStatus(source.status)
  // The job would start a maintenance that has passed, and send notifications for it.
  const isOver = given === 'scheduled' && scheduledUntil <= normalizer.now
  if (isOver) normalizer.warn(`${field}.status`, 'is completed, since its time has passed')
  const status = isOver ? 'completed' : given
  return {
    ...itemOf(listed, normalizer, { status, statusOf: maintenanceStatus }),
    createdAt,
    updatedAt: normalizer.pastTime(source.updated_at, createdAt),
    scheduledFor,
    scheduledUntil,
  }
}

const itemOf = <Status>(
  { source, field }: Listed,
  normalizer: Normalizer,
  { status, statusOf }: { status: Status; statusOf: (status: Source['status']) => Status },
): Omit<SourceItemInput<Status>, 'createdAt' | 'updatedAt'> => {
  const updates = (source.incident_updates ?? [])
    .map((update, index) => ({ update, field: `${field}.incident_updates[${index}]` }))
    .filter(({ update }) => update.status !== 'postmortem')
    .map(({ update, field }) => updateOf(update, field, normalizer, statusOf))
    .toSorted(byTime)
  const at = normalizer.pastTime(source.created_at, normalizer.now)
  // An item without updates gets one without a message, like a new item.
  const emptyUpdate = {
    sourceId: source.id,
    status,
    message: '',
    componentStatuses: {},
    at,
    displayAt: at,
  }
  return {
    sourceId: source.id,
    title: normalizer.oneLine(`${field}.name`, source.name, MAX_INCIDENT_TITLE),
    status,
    updates: updates.length === 0 ? [emptyUpdate] : updates,
    componentSourceIds: [
      ...new Set([
        ...(source.components ?? []).map(({ id }) => id),
        ...updates.flatMap(({ componentStatuses }) => Object.keys(componentStatuses)),
      ]),
    ],
  }
}

type TimedUpdate = Pick<SourceUpdateInput<unknown>, 'at' | 'displayAt'>

const byTime = (left: TimedUpdate, right: TimedUpdate): number =>
  left.displayAt.getTime() - right.displayAt.getTime() || left.at.getTime() - right.at.getTime()

const updateOf = <Status>(
  source: SourceUpdate,
  field: string,
  normalizer: Normalizer,
  statusOf: (status: Source['status']) => Status,
): SourceUpdateInput<Status> => {
  const at = normalizer.pastTime(source.created_at, normalizer.now)
  // An update that affects nothing can have an entry with a text instead of a component.
  const named = (source.affected_components ?? []).flatMap(({ code, new_status: status }) =>
    code === undefined || status === undefined || status === null ? [] : [[code, status] as const],
  )
  return {
    sourceId: source.id,
    status: statusOf(source.status),
    message: normalizer.message(`${field}.body`, source.body, MAX_INCIDENT_MESSAGE),
    componentStatuses: Object.fromEntries(named),
    at,
    displayAt: normalizer.pastTime(source.display_at, at),
  }
}

const incidentStatus = (status: Source['status']): IncidentStatus => {
  if (status === 'resolved' || status === 'postmortem' || status === 'completed') return 'resolved'
  return status === 'identified' || status === 'monitoring' ? status : 'investigating'
}

const maintenanceStatus = (status: Source['status']): MaintenanceStatus => {
  if (status === 'scheduled' || status === 'verifying' || status === 'completed') return status
  return status === 'resolved' || status === 'postmortem' ? 'completed' : 'in_progress'
}

const impactOf = (impact: Source['impact']): Impact =>
  impact === 'major' || impact === 'critical' ? impact : 'minor'
