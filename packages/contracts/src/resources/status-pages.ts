/** Status pages: the published view of an organization's components. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { listOf, listQuery, Search } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { optional, patchSchemaOf } from '../patch.ts'
import {
  HttpUrl,
  Id,
  IdParams,
  ImageUrl,
  LongText,
  Nullable,
  OneLine,
  OneOf,
  Success,
  Timestamp,
  TimeZone,
} from '../scalars.ts'
import { NewPassword } from './auth.ts'
import { subscriberEvents, subscriptionFilters } from './subscribers.ts'

export const visibilities = ['public', 'password', 'ip_allowlist', 'members'] as const
export type Visibility = (typeof visibilities)[number]

/** Languages of public pages. */
export const locales = ['en', 'de', 'fr', 'es', 'ja', 'ar'] as const
export type Locale = (typeof locales)[number]

export const customDomainStatuses = ['none', 'pending', 'active', 'failed'] as const
export type CustomDomainStatus = (typeof customDomainStatuses)[number]

export const MAX_PAGE_COMPONENTS = 500
const MAX_IP_RANGES = 100
/** Length of the longest IPv6 network in CIDR notation. */
const MAX_RANGE_LENGTH = 49
const Colour = Nullable(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' }))
const Days = (value: number) => Type.Integer({ minimum: 1, maximum: 365, default: value })

const PageComponent = Type.Object({
  componentId: Id,
  displayName: Type.Optional(Type.Union([OneLine(100), Type.Null()], { default: null })),
  groupName: Type.Optional(Type.Union([OneLine(100), Type.Null()], { default: null })),
  order: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
  showUptime: Type.Optional(Type.Boolean({ default: true })),
  showChildren: Type.Optional(Type.Boolean({ default: true })),
})
export type PageComponent = Required<Static<typeof PageComponent>>

const Theme = Type.Object({
  mode: Type.Optional(OneOf(['light', 'dark', 'system'], { default: 'system' })),
  primaryColor: Type.Optional(Colour),
  operationalColor: Type.Optional(Colour),
  degradedColor: Type.Optional(Colour),
  partialColor: Type.Optional(Colour),
  majorColor: Type.Optional(Colour),
  maintenanceColor: Type.Optional(Colour),
})

/** Selection of visitors who sign up without a choice. */
const SubscriberDefaults = Type.Object({
  componentIds: Type.Optional({
    ...subscriptionFilters.componentIds,
    default: [],
    description:
      'Components that are selected in the form; those that the page does not show are skipped. ' +
      'Empty: all components',
  }),
  events: Type.Optional({
    ...subscriptionFilters.events,
    default: [],
    description: 'Selected events; empty: all six',
  }),
})
export type SubscriberDefaults = Required<Static<typeof SubscriberDefaults>>

export const Slug = Type.String({ pattern: '^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$' })

const required = {
  name: OneLine(100),
  slug: Slug,
}

const settings = {
  description: Nullable(LongText(500)),
  isPublished: Type.Boolean({ default: false }),
  visibility: OneOf(visibilities, {
    default: 'public',
    description:
      '`password`: visitors need the password; `ip_allowlist`: visitors need an address in ' +
      '`allowedIpRanges`; `members`: visitors need a session of the organization. Without ' +
      'access a visitor gets the response of an unknown page',
  }),
  password: Nullable({
    ...NewPassword,
    description: 'Never returned, see `hasPassword`; after a change all visitors need the new one',
  }),
  allowedIpRanges: Type.Array(Type.String({ minLength: 1, maxLength: MAX_RANGE_LENGTH }), {
    maxItems: MAX_IP_RANGES,
    default: [],
    description: 'Networks in CIDR notation, IPv4 or IPv6, without host bits',
  }),
  customDomain: Nullable(
    Type.String({
      format: 'domain',
      maxLength: 253,
      description:
        'Host name with a CNAME to the host of this installation and a TXT record ' +
        '`_status-page.{customDomain}` with the value `customDomainToken`. Sending the stored ' +
        'name again starts a new lookup of both',
    }),
  ),
  components: Type.Array(PageComponent, {
    maxItems: MAX_PAGE_COMPONENTS,
    default: [],
    description: 'Components on the page; empty: every enabled top-level component',
  }),
  theme: Theme,
  logoUrl: Nullable(ImageUrl),
  logoDarkUrl: Nullable(ImageUrl),
  faviconUrl: Nullable(ImageUrl),
  homepageUrl: Nullable(HttpUrl),
  supportUrl: Nullable(Type.String({ format: 'support-url', maxLength: 2048 })),
  timezone: Type.String({ ...TimeZone, default: 'UTC' }),
  locale: OneOf(locales, { default: 'en' }),
  alternateLocales: Type.Array(OneOf(locales), {
    maxItems: locales.length,
    uniqueItems: true,
    default: [],
    description:
      'Further languages of the HTML pages, chosen by the `Accept-Language` of the visitor or by ' +
      'a link on the page; names and messages are not translated. Empty: `locale` for every visitor',
  }),
  uptimeDays: Days(90),
  incidentHistoryDays: Days(14),
  showUptimePercentage: Type.Boolean({ default: true }),
  allowIndexing: Type.Boolean({ default: true }),
  allowFeeds: Type.Boolean({ default: true }),
  allowEmailSubscribers: Type.Boolean({ default: true }),
  allowSmsSubscribers: Type.Boolean({ default: false }),
  allowWebhookSubscribers: Type.Boolean({ default: false }),
  subscriberDefaults: Type.Object(SubscriberDefaults.properties, {
    description: 'Selection of visitors who sign up without choosing components or events',
  }),
}

export const NewStatusPage = Type.Object({
  ...required,
  ...optional(settings),
})
export type NewStatusPage = Static<typeof NewStatusPage>

export const StatusPagePatch = patchSchemaOf({ ...required, ...settings }, ['name', 'slug'])
export type StatusPagePatch = Static<typeof StatusPagePatch>

/** Settings that change what the status page shows. */
const shownSettings = {
  name: required.name,
  description: settings.description,
  components: settings.components,
  theme: settings.theme,
  logoUrl: settings.logoUrl,
  logoDarkUrl: settings.logoDarkUrl,
  faviconUrl: settings.faviconUrl,
  homepageUrl: settings.homepageUrl,
  supportUrl: settings.supportUrl,
  timezone: settings.timezone,
  locale: settings.locale,
  alternateLocales: settings.alternateLocales,
  uptimeDays: settings.uptimeDays,
  incidentHistoryDays: settings.incidentHistoryDays,
  showUptimePercentage: settings.showUptimePercentage,
  allowFeeds: settings.allowFeeds,
}

export const StatusPageAppearance = patchSchemaOf(shownSettings, ['name'])
export type StatusPageAppearance = Static<typeof StatusPageAppearance>

export const StatusPage = Type.Object({
  id: Id,
  name: Type.String(),
  slug: Type.String(),
  description: Nullable(Type.String()),
  isPublished: Type.Boolean(),
  visibility: OneOf(visibilities),
  hasPassword: Type.Boolean(),
  allowedIpRanges: Type.Array(Type.String()),
  customDomain: Nullable(Type.String()),
  customDomainStatus: OneOf(customDomainStatuses),
  customDomainToken: Nullable(
    Type.String({
      description:
        'Value of the TXT record that proves the ownership of the custom domain; always the same ' +
        'for a name and an organization',
    }),
  ),
  components: Type.Array(
    Type.Object({
      componentId: Id,
      displayName: Nullable(Type.String()),
      groupName: Nullable(Type.String()),
      order: Type.Integer(),
      showUptime: Type.Boolean(),
      showChildren: Type.Boolean(),
    }),
  ),
  theme: Type.Object({
    mode: OneOf(['light', 'dark', 'system']),
    primaryColor: Colour,
    operationalColor: Colour,
    degradedColor: Colour,
    partialColor: Colour,
    majorColor: Colour,
    maintenanceColor: Colour,
  }),
  logoUrl: Nullable(Type.String()),
  logoDarkUrl: Nullable(Type.String()),
  faviconUrl: Nullable(Type.String()),
  homepageUrl: Nullable(Type.String()),
  supportUrl: Nullable(Type.String()),
  timezone: Type.String(),
  locale: OneOf(locales),
  alternateLocales: Type.Array(OneOf(locales)),
  uptimeDays: Type.Integer(),
  incidentHistoryDays: Type.Integer(),
  showUptimePercentage: Type.Boolean(),
  allowIndexing: Type.Boolean(),
  allowFeeds: Type.Boolean(),
  allowEmailSubscribers: Type.Boolean(),
  allowSmsSubscribers: Type.Boolean(),
  allowWebhookSubscribers: Type.Boolean(),
  subscriberDefaults: Type.Object({
    componentIds: Type.Array(Id),
    events: Type.Array(OneOf(subscriberEvents)),
  }),
  managedByConfig: Type.Boolean(),
  version: Type.Integer({ description: 'Version for If-Match; rises with every change' }),
  url: Type.String(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type StatusPage = Static<typeof StatusPage>

export const dnsRecordStates = ['valid', 'missing', 'different', 'no_answer'] as const

const recordState = OneOf(dnsRecordStates, {
  description:
    '`missing`: the name has no such record; `different`: none has the expected value; ' +
    '`no_answer`: the DNS server did not respond',
})
export type DnsRecordState = (typeof dnsRecordStates)[number]

const DnsRecordCheck = Type.Object({
  name: Type.String(),
  expected: Type.String({ description: 'Value that the record must have' }),
  state: recordState,
})

export const CustomDomainCheck = Type.Object({
  customDomainStatus: OneOf(customDomainStatuses),
  cname: DnsRecordCheck,
  txt: DnsRecordCheck,
})
export type CustomDomainCheck = Static<typeof CustomDomainCheck>

export const statusPageOperations = operationsOf('core', 'status-pages', {
  list: {
    route: 'GET /status-pages',
    summary: 'List status pages',
    permission: 'status-pages:read',
    query: listQuery(['name', 'createdAt', 'updatedAt'], {
      isPublished: Type.Optional(Type.Boolean()),
      search: Search,
    }),
    reply: listOf(StatusPage),
  },
  create: {
    route: 'POST /status-pages',
    status: 201,
    summary: 'Create a status page',
    description:
      'The page is visible only once `isPublished` is true. The custom domain is `pending` ' +
      'until its CNAME is found, with a lookup every ten minutes, and `failed` after 72 hours ' +
      'without one. 409 `duplicate` for a slug or custom domain that another page of the ' +
      'installation has. Emits `status-page.created`.',
    permission: 'status-pages:write',
    body: NewStatusPage,
    reply: StatusPage,
  },
  read: {
    route: 'GET /status-pages/{id}',
    summary: 'Read a status page',
    permission: 'status-pages:read',
    params: IdParams,
    reply: StatusPage,
  },
  update: {
    route: 'PATCH /status-pages/{id}',
    summary: 'Update a status page',
    description:
      '`components`, `theme`, `allowedIpRanges` and `subscriberDefaults` are replaced as a ' +
      'whole. Emits `status-page.updated` if anything changed. 409 `version_mismatch` when ' +
      '`If-Match` is another version.',
    permission: 'status-pages:write',
    params: IdParams,
    body: StatusPagePatch,
    reply: StatusPage,
  },
  preview: {
    route: 'POST /status-pages/{id}/preview',
    summary: 'Preview a status page with other settings',
    description:
      'Renders the page, published or not, with the given settings in place of the stored ones; ' +
      'stores nothing. `html` is the whole document in the language of the page. It contains the ' +
      'scripts of the page: display it only in an `iframe` whose `sandbox` has another origin.',
    permission: 'status-pages:write',
    action: 'UPDATE',
    isSafe: true,
    params: IdParams,
    body: StatusPageAppearance,
    reply: Type.Object({ html: Type.String() }),
  },
  checkCustomDomain: {
    route: 'POST /status-pages/{id}/custom-domain/check',
    summary: 'Look up the DNS records of a custom domain',
    description:
      'Looks up both records at once instead of with the next lookup, and applies the result; a ' +
      'domain that is `failed` is `pending` again. 409 `invalid_state` without a custom domain, ' +
      '409 `duplicate` when another page is active on it. Emits `status-page.updated` if the ' +
      'status changes.',
    permission: 'status-pages:write',
    action: 'UPDATE',
    bucket: 'check',
    params: IdParams,
    reply: CustomDomainCheck,
  },
  remove: {
    route: 'DELETE /status-pages/{id}',
    summary: 'Delete a status page',
    description: 'Also deletes the subscribers of the page. Emits `status-page.deleted`.',
    permission: 'status-pages:write',
    params: IdParams,
    reply: Success,
  },
})

const eventData = Type.Object({
  statusPage: Type.Object({
    id: Id,
    name: Type.String(),
    slug: Type.String(),
    isPublished: Type.Boolean(),
    url: Type.String(),
    /** Absent in events from before pages had a language; so are the fields below. */
    locale: Type.Optional(OneOf(locales)),
    timezone: Type.Optional(Type.String()),
    theme: Type.Optional(Type.Index(StatusPage, ['theme'])),
    logoUrl: Type.Optional(Nullable(Type.String())),
    logoDarkUrl: Type.Optional(Nullable(Type.String())),
  }),
})

export const statusPageCreated = event('status-page.created', ['core'], eventData)
export const statusPageUpdated = event('status-page.updated', ['core'], eventData)
export const statusPageDeleted = event('status-page.deleted', ['core'], eventData)
