/**
 * Reads the documents of a Statuspage into the input of an import. Pure; ids are those of the
 * source.
 */
import {
  type ComponentStatus,
  type Cooperative,
  type Impact,
  type IncidentStatus,
  MAX_IMPORT_WARNINGS,
  MAX_INCIDENT_MESSAGE,
  MAX_INCIDENT_TITLE,
  type MaintenanceStatus,
  type StatuspageDocuments,
  type StatuspageReport,
} from '@status-page/contracts'
import { mapCooperatively } from '@status-page/service'
import { toOneLine, truncateText } from './plain-text.ts'

export interface SourceComponentInput {
  sourceId: string
  parentSourceId: string | null
  name: string
  description: string | null
  status: ComponentStatus
  order: number
}

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
  postmortem: { summary: string; publishedAt: Date } | null
}

export interface SourceMaintenanceInput extends SourceItemInput<MaintenanceStatus> {
  scheduledFor: Date
  scheduledUntil: Date
}

export interface ImportedDocuments {
  components: SourceComponentInput[]
  incidents: SourceIncidentInput[]
  maintenances: SourceMaintenanceInput[]
  warnings: StatuspageReport['warnings']
}

type Source = NonNullable<StatuspageDocuments['incidents']>[number]
type SourceUpdate = NonNullable<Source['incident_updates']>[number]
type SourceComponent = NonNullable<StatuspageDocuments['components']>[number]

const MAX_NAME = 100
const MAX_DESCRIPTION = 500
const MAX_ORDER = 1_000_000
const MINUTE_MS = 60_000
/** Latest start whose end the API can still represent. */
const LAST_START = new Date(Date.UTC(9999, 11, 31, 23, 58))
const UNTITLED = 'Untitled'

type PlainTexts = ReadonlyMap<string, string>

/** Normalizes imported texts and times, and collects a warning for each changed value. */
class Reader {
  readonly warnings: StatuspageReport['warnings'] = []
  readonly now: Date
  readonly #plain: PlainTexts

  constructor(now: Date, plain: PlainTexts) {
    this.now = now
    this.#plain = plain
  }

  warn(field: string, message: string): void {
    if (this.warnings.length < MAX_IMPORT_WARNINGS) this.warnings.push({ field, message })
  }

  line(field: string, text: string, maxLength: number): string {
    const line = toOneLine(this.#plain.get(text) ?? '')
    if (line === null) this.warn(field, `has no text and is named ${UNTITLED}`)
    return this.cut(field, line ?? UNTITLED, maxLength)
  }

  text(field: string, text: string | null | undefined, maxLength: number): string {
    return this.cut(field, this.#plain.get(text ?? '') ?? '', maxLength)
  }

  /** Limits past times to now. */
  past(time: string | null | undefined, otherwise: Date): Date {
    const at = time ? new Date(time) : otherwise
    return new Date(Math.min(at.getTime(), this.now.getTime()))
  }

  private cut(field: string, text: string, maxLength: number): string {
    const cut = truncateText(text, maxLength)
    if (cut !== text) this.warn(field, `is truncated to ${maxLength} characters`)
    return cut
  }
}

/** `plain` maps each text of `collectMarkupTexts` to its plain text. */
export function* readDocuments(
  documents: StatuspageDocuments,
  plain: PlainTexts,
  now: Date,
): Cooperative<ImportedDocuments> {
  const reader = new Reader(now, plain)
  const lists = (['incidents', 'scheduled_maintenances'] as const).flatMap((list) =>
    (documents[list] ?? []).map((source, index) => ({ source, field: `${list}[${index}]` })),
  )
  // Selects maintenances, which the v1 list of incidents includes.
  const isMaintenance = ({ source }: { source: Source }) =>
    source.impact === 'maintenance' || (source.scheduled_for ?? null) !== null
  const components = componentsOf(documents, reader)
  yield
  const incidents = lists.filter((one) => !isMaintenance(one))
  const maintenances = lists.filter(isMaintenance)
  return {
    components,
    incidents: distinct(yield* mapCooperatively(incidents, (one) => incidentOf(one, reader))),
    maintenances: distinct(
      yield* mapCooperatively(maintenances, (one) => maintenanceOf(one, reader)),
    ),
    warnings: reader.warnings,
  }
}

/** Removes duplicates, since several documents of a page repeat open items. */
const distinct = <One extends { sourceId: string }>(all: readonly One[]): One[] =>
  [...new Map(all.toReversed().map((one) => [one.sourceId, one])).values()].toReversed()

/** Groups come before their members, because they become parents. */
const componentsOf = (documents: StatuspageDocuments, reader: Reader): SourceComponentInput[] => {
  const listed = (documents.components ?? []).map((source, index) =>
    componentOf(source, `components[${index}]`, reader),
  )
  const groups = (documents.component_groups ?? []).map((source, index) =>
    componentOf({ ...source, group: true }, `component_groups[${index}]`, reader),
  )
  const all = distinct([...groups, ...listed])
  const known = new Set(all.map(({ sourceId }) => sourceId))
  const placed = all.map((one) => ({
    ...one,
    parentSourceId: known.has(one.parentSourceId ?? '') ? one.parentSourceId : null,
  }))
  // Statuspage has one level of groups, so a group inside a group becomes top-level.
  const parents = new Set(placed.map(({ parentSourceId }) => parentSourceId))
  const top = placed.map((one) =>
    parents.has(one.sourceId) ? { ...one, parentSourceId: null } : one,
  )
  return top.toSorted(
    (a, b) => Number(a.parentSourceId !== null) - Number(b.parentSourceId !== null),
  )
}

const componentOf = (
  source: SourceComponent,
  field: string,
  reader: Reader,
): SourceComponentInput => ({
  sourceId: source.id,
  parentSourceId: source.group_id ?? null,
  name: reader.line(`${field}.name`, source.name, MAX_NAME),
  description: reader.text(`${field}.description`, source.description, MAX_DESCRIPTION) || null,
  status: source.status ?? 'operational',
  order: Math.min(source.position ?? 0, MAX_ORDER),
})

interface Listed {
  source: Source
  field: string
}

const incidentOf = ({ source, field }: Listed, reader: Reader): SourceIncidentInput => {
  const createdAt = reader.past(source.created_at, reader.now)
  const updatedAt = reader.past(source.updated_at, createdAt)
  const status = incidentStatus(source.status)
  const reviews = (source.incident_updates ?? []).filter((one) => one.status === 'postmortem')
  const review = reviews.at(0)
  return {
    ...item({ source, field }, reader, { status, statusOf: incidentStatus }),
    impact: impactOf(source.impact),
    createdAt,
    updatedAt,
    startedAt: reader.past(source.started_at, createdAt),
    resolvedAt: status === 'resolved' ? reader.past(source.resolved_at, updatedAt) : null,
    postmortem:
      review === undefined || status !== 'resolved'
        ? null
        : {
            summary:
              reader.text(`${field}.postmortem`, review.body, MAX_INCIDENT_MESSAGE) || UNTITLED,
            publishedAt: reader.past(review.display_at, reader.past(review.created_at, updatedAt)),
          },
  }
}

const maintenanceOf = ({ source, field }: Listed, reader: Reader): SourceMaintenanceInput => {
  const createdAt = reader.past(source.created_at, reader.now)
  const wantedFor = new Date(source.scheduled_for ?? createdAt)
  const scheduledFor = wantedFor < LAST_START ? wantedFor : LAST_START
  const end = new Date(source.scheduled_until ?? source.resolved_at ?? scheduledFor)
  const scheduledUntil = end > scheduledFor ? end : new Date(scheduledFor.getTime() + MINUTE_MS)
  if (end <= scheduledFor)
    reader.warn(`${field}.scheduled_until`, 'is moved to after scheduled_for')
  const given = maintenanceStatus(source.status)
  // The job would start a maintenance that has passed, and send notifications for it.
  const isOver = given === 'scheduled' && scheduledUntil <= reader.now
  if (isOver) reader.warn(`${field}.status`, 'is completed, since its time has passed')
  return {
    ...item({ source, field }, reader, {
      status: isOver ? 'completed' : given,
      statusOf: maintenanceStatus,
    }),
    createdAt,
    updatedAt: reader.past(source.updated_at, createdAt),
    scheduledFor,
    scheduledUntil,
  }
}

const item = <Status>(
  { source, field }: Listed,
  reader: Reader,
  { status, statusOf }: { status: Status; statusOf: (status: Source['status']) => Status },
): Omit<SourceItemInput<Status>, 'createdAt' | 'updatedAt'> => {
  const said = (source.incident_updates ?? [])
    .filter((one) => one.status !== 'postmortem')
    .map((one, index) => updateOf(one, `${field}.incident_updates[${index}]`, reader, statusOf))
    .toSorted((a, b) => a.at.getTime() - b.at.getTime())
  const at = reader.past(source.created_at, reader.now)
  // An item without updates gets one without a message, like a new item.
  const silent = {
    sourceId: source.id,
    status,
    message: '',
    componentStatuses: {},
    at,
    displayAt: at,
  }
  return {
    sourceId: source.id,
    title: reader.line(`${field}.name`, source.name, MAX_INCIDENT_TITLE),
    status,
    updates: said.length === 0 ? [silent] : said,
    componentSourceIds: [
      ...new Set([
        ...(source.components ?? []).map(({ id }) => id),
        ...said.flatMap(({ componentStatuses }) => Object.keys(componentStatuses)),
      ]),
    ],
  }
}

const updateOf = <Status>(
  source: SourceUpdate,
  field: string,
  reader: Reader,
  statusOf: (status: Source['status']) => Status,
): SourceUpdateInput<Status> => {
  const at = reader.past(source.created_at, reader.now)
  const named = (source.affected_components ?? []).flatMap(({ code, new_status: status }) =>
    status === undefined ? [] : [[code, status] as const],
  )
  return {
    sourceId: source.id,
    status: statusOf(source.status),
    message: reader.text(`${field}.body`, source.body, MAX_INCIDENT_MESSAGE),
    componentStatuses: Object.fromEntries(named),
    at,
    displayAt: reader.past(source.display_at, at),
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
