/** State changes of a status page. Pure; `shown.ts` selects the components that it shows. */
import {
  auditChanges,
  conflict,
  draftEvent,
  type EventDraft,
  invalid,
  NewStatusPage,
  type PageComponent,
  REDACTED,
  ruleIssue,
  StatusPage,
  type StatusPagePatch,
  type SubscriberDefaults,
  statusPageCreated,
  statusPageDeleted,
  statusPageUpdated,
  viewOf,
} from '@status-page/contracts'
import { validateComponentIds } from '../../components/component-ids.ts'
import { fieldDefaults, fillFields, haveEqualFields, pickFields } from '../../fields.ts'
import type { StatusPageRow } from '../../tables.ts'
import { claimDomain, type DomainState, noDomain, verificationToken } from './custom-domain.ts'
import { normalizeIpRanges } from './ip-ranges.ts'
import { pageUrl } from './links.ts'

const fields = [
  'name',
  'slug',
  'description',
  'isPublished',
  'visibility',
  'allowedIpRanges',
  'components',
  'theme',
  'logoUrl',
  'logoDarkUrl',
  'faviconUrl',
  'homepageUrl',
  'supportUrl',
  'timezone',
  'locale',
  'alternateLocales',
  'uptimeDays',
  'incidentHistoryDays',
  'showUptimePercentage',
  'allowIndexing',
  'allowFeeds',
  'allowEmailSubscribers',
  'allowSmsSubscribers',
  'allowWebhookSubscribers',
  'subscriberDefaults',
] as const

type Field = (typeof fields)[number]
type Definition = Pick<StatusPageRow, Field>

/** Password as stored: a slow hash for visitors, an encrypted digest for configurations. */
export interface StoredPassword {
  passwordHash: string
  passwordDigest: string
}

const noPassword = { passwordHash: null, passwordDigest: null }

type PageInput = Omit<NewStatusPage, 'password'>
type PagePatch = Omit<StatusPagePatch, 'password'>

/** Stored state that the validation of the input needs. */
export interface StatusPageContext {
  /** Existing components that the input references. */
  known: ReadonlySet<string>
  /** Given password; null removes it, undefined leaves it unchanged. */
  password: StoredPassword | null | undefined
  /** Host name of BASE_URL. */
  ownHost: string
  now: Date
}

export const createPage = (
  input: { id: string; organizationId: string; body: PageInput; managedByConfig: boolean },
  context: StatusPageContext,
): StatusPageRow => {
  const { id, organizationId, body, managedByConfig } = input
  const { now, password } = context
  const definition = define(body, {}, context.known)
  const domain = claimDomain(noDomain, body.customDomain ?? null, context)
  return lockable({
    id,
    organizationId,
    version: 1,
    ...definition,
    ...domain,
    ...(password ?? noPassword),
    managedByConfig,
    createdAt: now,
    updatedAt: now,
  })
}

/**
 * Applies a PATCH. The version stays when no public field changes; the same row is returned when
 * nothing changes.
 */
export const changePage = (
  row: StatusPageRow,
  patch: PagePatch,
  context: StatusPageContext,
): StatusPageRow => {
  const { now, password } = context
  const domain = claimDomain(row, patch.customDomain, context)
  const definition = define(patch, row, context.known)
  const stored = password === undefined ? {} : (password ?? noPassword)
  const after = lockable({ ...row, ...definition, ...domain, ...stored })
  if (!haveEqualFields([...fields, ...otherFields], row, after)) {
    return { ...after, version: row.version + 1, updatedAt: now }
  }
  return domain.customDomainDueAt === row.customDomainDueAt ? row : after
}

const otherFields = ['passwordHash', 'customDomain', 'customDomainStatus'] as const

export const checkVersion = ({ version }: StatusPageRow, ifMatch: number | null): void => {
  if (ifMatch === null || ifMatch === version) return
  throw conflict('version_mismatch', `The status page is at version ${version}`)
}

/** Applies the result of a lookup; returns the same row when there is nothing to save. */
export const applyDomainLookup = (
  row: StatusPageRow,
  domain: DomainState,
  now: Date,
): StatusPageRow => {
  const { customDomainStatus, customDomainMissingSince } = domain
  if (customDomainStatus !== row.customDomainStatus) {
    return { ...row, ...domain, version: row.version + 1, updatedAt: now }
  }
  const isSame = customDomainMissingSince?.getTime() === row.customDomainMissingSince?.getTime()
  return isSame ? row : { ...row, ...domain }
}

const lockable = (row: StatusPageRow): StatusPageRow => {
  if (row.visibility !== 'password' || row.passwordHash !== null) return row
  const message = 'password is required when visibility is password'
  throw invalid({ field: 'password', message })
}

/** Component ids in the input, which the store looks up. */
export const listedComponentIds = (body: PageInput | PagePatch): string[] => [
  ...(body.components ?? []).map(({ componentId }) => componentId),
  ...(body.subscriberDefaults?.componentIds ?? []),
]

const defaults = fieldDefaults(NewStatusPage.properties)

const define = (
  given: PageInput | PagePatch,
  stored: Partial<StatusPageRow>,
  known: ReadonlySet<string>,
): Definition => {
  const definition = fillFields<Definition>(fields, { given, stored, defaults })
  const listed = new Set((stored.components ?? []).map(({ componentId }) => componentId))
  return {
    ...definition,
    allowedIpRanges: normalizeIpRanges(definition.allowedIpRanges),
    components: entriesOf(definition.components, known.union(listed)),
    theme: themeOf(definition.theme),
    subscriberDefaults: subscriberDefaultsOf(definition.subscriberDefaults, {
      known,
      stored: stored.subscriberDefaults,
    }),
  }
}

/** Rejects unknown components; stored ids are accepted after their component was deleted. */
const entriesOf = (
  components: readonly Partial<PageComponent>[],
  known: ReadonlySet<string>,
): PageComponent[] => {
  const seen = new Set<string>()
  return components.map((entry, index) => {
    const { componentId = '' } = entry
    const field = `components[${index}].componentId`
    if (!known.has(componentId)) throw invalid(ruleIssue(field, 'exists'))
    if (seen.has(componentId)) throw invalid(ruleIssue(field, 'distinct'))
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

const subscriberDefaultsOf = (
  given: Partial<SubscriberDefaults> | null,
  { known, stored }: { known: ReadonlySet<string>; stored: SubscriberDefaults | undefined },
): SubscriberDefaults => {
  const { componentIds = [], events = [] } = given ?? {}
  const accepted = known.union(new Set(stored?.componentIds))
  validateComponentIds(componentIds, accepted, 'subscriberDefaults.componentIds')
  return { componentIds, events }
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

export const presentPage = (row: StatusPageRow, baseUrl: string): StatusPage =>
  viewOf(StatusPage, {
    ...row,
    hasPassword: row.passwordHash !== null,
    customDomainToken:
      row.customDomain === null ? null : verificationToken(row.organizationId, row.customDomain),
    url: pageUrl(baseUrl, row.slug),
  })

const kinds = {
  created: statusPageCreated,
  updated: statusPageUpdated,
  deleted: statusPageDeleted,
}

export const pageEvent = (
  verb: keyof typeof kinds,
  row: StatusPageRow,
  baseUrl: string,
): EventDraft => {
  const { id, name, slug, isPublished, locale, timezone, logoUrl, logoDarkUrl } = row
  return draftEvent(kinds[verb], row, {
    statusPage: {
      id,
      name,
      slug,
      isPublished,
      url: pageUrl(baseUrl, slug),
      locale,
      timezone,
      theme: row.theme,
      logoUrl,
      logoDarkUrl,
    },
  })
}

/** Fields that the API accepts, except the password. */
export const pageFields = (row: StatusPageRow) => ({
  ...pickFields(fields, row),
  customDomain: row.customDomain,
})

export const auditPage = auditChanges(
  'status_page',
  (row: StatusPageRow) => auditedOf(row),
  (before, after) => passwordChange(before, after),
)

const auditedOf = (row: StatusPageRow) => ({
  ...pageFields(row),
  customDomainStatus: row.customDomainStatus,
})

const passwordChange = (before: StatusPageRow | null, after: StatusPageRow) => {
  const stored = before?.passwordHash ?? null
  if (stored === after.passwordHash) return {}
  const shown = (hash: string | null) => (hash === null ? null : REDACTED)
  return { password: { from: shown(stored), to: shown(after.passwordHash) } }
}
