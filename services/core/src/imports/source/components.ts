/** Components and groups of a Statuspage as input of an import. Pure. */
import {
  type ComponentStatus,
  MAX_COMPONENT_ORDER,
  type StatuspageDocuments,
} from '@status-page/contracts'
import { distinct } from './distinct.ts'
import type { Normalizer } from './normalizer.ts'
import { earliest, latest } from './times.ts'

export interface SourceComponentInput {
  sourceId: string
  parentSourceId: string | null
  name: string
  description: string | null
  status: ComponentStatus
  order: number
  /** Start of its history. */
  since: Date
  showUptime: boolean
}

type SourceComponent = NonNullable<StatuspageDocuments['components']>[number]

const MAX_NAME = 100
const MAX_DESCRIPTION = 500
/**
 * Number of incidents in a document of the public API that has more: the history before the oldest
 * one is unknown.
 */
const PUBLIC_INCIDENTS = 50

/** Groups come before their members, because they become parents. */
export const componentsOf = (
  documents: StatuspageDocuments,
  normalizer: Normalizer,
): SourceComponentInput[] => {
  const knownSince = startOfKnownHistory(documents, normalizer)
  const listed = (documents.components ?? []).map((source, index) =>
    componentOf(source, `components[${index}]`, { normalizer, knownSince }),
  )
  const groups = (documents.component_groups ?? []).map((source, index) =>
    componentOf({ ...source, group: true }, `component_groups[${index}]`, {
      normalizer,
      knownSince,
    }),
  )
  const all = distinct([...groups, ...listed])
  const known = new Set(all.map(({ sourceId }) => sourceId))
  const placed = all.map((component) => ({
    ...component,
    parentSourceId: known.has(component.parentSourceId ?? '') ? component.parentSourceId : null,
  }))
  // Statuspage has one level of groups, so a group inside a group becomes top-level.
  const members = Map.groupBy(placed, ({ parentSourceId }) => parentSourceId)
  return placed
    .map((component) => ({
      ...component,
      ...groupFields(component, members.get(component.sourceId)),
    }))
    .toSorted((a, b) => Number(a.parentSourceId !== null) - Number(b.parentSourceId !== null))
}

/** Fields of a group that follow from its members, as its status at the source does. */
const groupFields = (
  group: SourceComponentInput,
  members: readonly SourceComponentInput[] | undefined,
): Partial<SourceComponentInput> =>
  members === undefined
    ? {}
    : {
        parentSourceId: null,
        status: 'operational',
        since: earliest(group.since, ...members.map(({ since }) => since)),
        showUptime: members.some(({ showUptime }) => showUptime),
      }

const componentOf = (
  source: SourceComponent,
  field: string,
  { normalizer, knownSince }: { normalizer: Normalizer; knownSince: Date | null },
): SourceComponentInput => {
  if (source.only_show_if_degraded === true)
    normalizer.warn(`${field}.only_show_if_degraded`, 'is ignored: pages show every component')
  const start = startOf(source, field, normalizer)
  return {
    sourceId: source.id,
    parentSourceId: source.group_id ?? null,
    name: normalizer.oneLine(`${field}.name`, source.name, MAX_NAME),
    description: normalizer.description(
      `${field}.description`,
      source.description,
      MAX_DESCRIPTION,
    ),
    status: source.status ?? 'operational',
    order: Math.min(source.position ?? 0, MAX_COMPONENT_ORDER),
    since: knownSince === null ? start : latest(knownSince, start),
    showUptime: source.showcase ?? true,
  }
}

/** First year of pages; earlier days are those of clocks that were never set. */
const FIRST_START = new Date(Date.UTC(2000, 0, 1))

const startOf = (
  { start_date: day, created_at: createdAt }: SourceComponent,
  field: string,
  normalizer: Normalizer,
): Date => {
  const isDate = !Number.isNaN(Date.parse(day ?? ''))
  if (day && !isDate) normalizer.warn(`${field}.start_date`, 'is ignored, since it is no date')
  return latest(FIRST_START, normalizer.pastTime(isDate ? day : createdAt, normalizer.now))
}

const startOfKnownHistory = ({ incidents = [] }: StatuspageDocuments, normalizer: Normalizer) => {
  if (incidents.length !== PUBLIC_INCIDENTS) return null
  normalizer.warn(
    'incidents',
    `has ${PUBLIC_INCIDENTS} entries, as many as the public API lists; the history of new ` +
      'components begins with the oldest one',
  )
  return earliest(
    ...incidents.map((incident) =>
      normalizer.pastTime(incident.started_at ?? incident.created_at, normalizer.now),
    ),
  )
}
