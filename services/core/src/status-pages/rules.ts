/** What becomes of a status page. Pure; what it shows of components is in `shown.ts`. */
import {
  type AuditDraft,
  changesBetween,
  type Event,
  type EventDraft,
  type EventSpec,
  emit,
  invalid,
  NewStatusPage,
  type PageComponent,
  type StatusPage,
  type StatusPagePatch,
  statusPageCreated,
  statusPageDeleted,
  statusPageUpdated,
} from '@status-page/contracts'
import type { StatusPageRow } from '../tables.ts'
import { pageUrl } from './links.ts'

const fields = [
  'name',
  'slug',
  'description',
  'isPublished',
  'visibility',
  'components',
  'theme',
  'logoUrl',
  'logoDarkUrl',
  'faviconUrl',
  'homepageUrl',
  'supportUrl',
  'timezone',
  'locale',
  'uptimeDays',
  'incidentHistoryDays',
  'showUptimePercentage',
  'allowIndexing',
  'allowFeeds',
  'allowEmailSubscribers',
  'allowSmsSubscribers',
  'allowWebhookSubscribers',
] as const

type Field = (typeof fields)[number]
type Definition = Pick<StatusPageRow, Field>

export const createPage = (
  made: { id: string; organizationId: string; body: NewStatusPage },
  known: ReadonlySet<string>,
  now: Date,
): StatusPageRow => {
  const definition = define(made.body, {}, known)
  const { id, organizationId } = made
  return { id, organizationId, version: 1, ...definition, createdAt: now, updatedAt: now }
}

/** The same row when the PATCH has no effect. */
export const changePage = (
  row: StatusPageRow,
  patch: StatusPagePatch,
  known: ReadonlySet<string>,
  now: Date,
): StatusPageRow => {
  const after = { ...row, ...define(patch, row, known) }
  const isSame = fields.every((name) => JSON.stringify(row[name]) === JSON.stringify(after[name]))
  return isSame ? row : { ...after, version: row.version + 1, updatedAt: now }
}

/** Ids that the input names, for the store to look up. */
export const namedIn = (body: NewStatusPage | StatusPagePatch): string[] =>
  (body.components ?? []).map(({ componentId }) => componentId)

/** Defaults as the contract states them. */
const defaults: Readonly<Record<string, unknown>> = Object.fromEntries(
  Object.entries(NewStatusPage.properties).map(([name, field]) => [name, field.default ?? null]),
)

const define = (
  given: NewStatusPage | StatusPagePatch,
  stored: Partial<StatusPageRow>,
  known: ReadonlySet<string>,
): Definition => {
  const values = given as Record<string, unknown>
  const present = { ...defaults, ...stored } as Record<string, unknown>
  const entries = fields.map((name) => {
    const value = values[name] === undefined ? present[name] : values[name]
    return [name, value ?? defaults[name]]
  })
  const definition: Definition = Object.fromEntries(entries)
  const listed = new Set((stored.components ?? []).map(({ componentId }) => componentId))
  return {
    ...definition,
    components: entriesOf(definition.components, known.union(listed)),
    theme: themeOf(definition.theme),
  }
}

/** A stored id may be sent back, though its component is gone. */
const entriesOf = (
  components: readonly Partial<PageComponent>[],
  known: ReadonlySet<string>,
): PageComponent[] => {
  const seen = new Set<string>()
  return components.map((entry, index) => {
    const { componentId = '' } = entry
    const field = `components[${index}].componentId`
    if (!known.has(componentId)) throw invalid({ field, message: `${field} names no component` })
    if (seen.has(componentId)) throw invalid({ field, message: `${field} is listed twice` })
    seen.add(componentId)
    return {
      componentId,
      displayName: entry.displayName ?? null,
      groupName: entry.groupName ?? null,
      order: entry.order ?? 0,
      showUptime: entry.showUptime ?? true,
      showChildren: entry.showChildren ?? true,
    }
  })
}

type Theme = StatusPage['theme']

const themeOf = (theme: Partial<Theme> | null): Theme => ({
  mode: theme?.mode ?? 'system',
  primaryColor: theme?.primaryColor ?? null,
  operationalColor: theme?.operationalColor ?? null,
  degradedColor: theme?.degradedColor ?? null,
  partialColor: theme?.partialColor ?? null,
  majorColor: theme?.majorColor ?? null,
  maintenanceColor: theme?.maintenanceColor ?? null,
})

export const presentPage = (row: StatusPageRow, baseUrl: string): StatusPage => {
  const { organizationId: _organization, version: _version, createdAt, updatedAt, ...page } = row
  return {
    ...page,
    hasPassword: false,
    allowedIpRanges: [],
    customDomain: null,
    customDomainStatus: 'none',
    url: pageUrl(baseUrl, row.slug),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

type Fact = Event<EventSpec & { data: typeof statusPageCreated.data }>

const kinds: Record<'created' | 'updated' | 'deleted', Fact> = {
  created: statusPageCreated,
  updated: statusPageUpdated,
  deleted: statusPageDeleted,
}

export const statePage = (
  verb: keyof typeof kinds,
  row: StatusPageRow,
  baseUrl: string,
): EventDraft => {
  const { id, name, slug, isPublished } = row
  return emit(kinds[verb], row, {
    statusPage: { id, name, slug, isPublished, url: pageUrl(baseUrl, slug) },
  })
}

export const auditPage = (
  verb: 'create' | 'update' | 'delete',
  before: StatusPageRow | null,
  after: StatusPageRow,
): AuditDraft => ({
  action: `status_page.${verb}`,
  entityType: 'status_page',
  entityId: after.id,
  entityName: after.name,
  changes:
    verb === 'delete'
      ? {}
      : changesBetween(before === null ? null : definitionOf(before), definitionOf(after)),
})

const definitionOf = (row: StatusPageRow): Record<string, unknown> =>
  Object.fromEntries(fields.map((name) => [name, row[name]]))
