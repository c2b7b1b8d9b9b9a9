/** Status pages as HTML, Markdown and embeddable parts; usable without scripts. */
import { Type } from '@sinclair/typebox'
import { operationsOf } from '../operation.ts'
import { Id, OneOf } from '../scalars.ts'
import { MAX_SLUG_LENGTH } from '../slug.ts'
import { EnteredPassword } from './auth.ts'
import { MetricRangeQuery } from './public.ts'
import { locales } from './status-pages.ts'
import { subscriberTypes } from './subscribers.ts'

const slug = Type.String({ maxLength: MAX_SLUG_LENGTH })
const SlugParams = Type.Object({ slug })
const SlugAndIdParams = Type.Object({ slug, id: Id })

const HTML = 'text/html'
const MARKDOWN = 'text/markdown'

/**
 * Header with the custom domain of a request, set by the gateway for core.
 */
export const PAGE_DOMAIN_HEADER = 'x-internal-page-domain'
/**
 * Header with the organization of a page, set by core for the gateway, which does not pass it on.
 */
export const PAGE_OWNER_HEADER = 'x-internal-organization'

/**
 * Header with the locales of a page whose language depends on `Accept-Language`, the page's own
 * first; set by core for the gateway, which does not pass it on.
 */
export const PAGE_LOCALES_HEADER = 'x-internal-locales'

/** Hidden note on every live page; the gateway shows it with the time when it serves stale data. */
export const OUTDATED_NOTE = {
  start: '<p id="outdated" class="note" role="status" hidden>',
  time: '<time></time>',
} as const

/** Attribute with the version of the visible content; equal content has an equal version. */
export const PAGE_VERSION_ATTRIBUTE = 'data-version'

const MARKDOWN_NOTE = '`Accept: text/markdown` returns the content as Markdown.'

/**
 * Fields of operations that read a representation of a page. The page's access rules apply;
 * representations of public pages are cacheable.
 */
const pageRead = {
  base: 'root',
  permission: 'public',
  bucket: 'public read',
  reply: Type.String(),
} as const

const LocaleQuery = Type.Object({
  locale: Type.Optional(
    OneOf(locales, {
      description:
        "`locale` or one of `alternateLocales` of the page; without it, the visitor's " +
        '`Accept-Language` decides between them',
    }),
  ),
})

const MonthQuery = Type.Object({
  ...LocaleQuery.properties,
  month: Type.Optional(Type.String({ pattern: '^2[0-9]{3}-(0[1-9]|1[0-2])$' })),
})

/**
 * Fields of the form; `SignUp` validates the address, and an invalid one returns the form with the
 * error.
 */
const SubscribeForm = Type.Object({
  type: OneOf(subscriberTypes, { default: 'email' }),
  email: Type.Optional(Type.String({ maxLength: 254 })),
  phone: Type.Optional(Type.String({ maxLength: 32 })),
  webhookUrl: Type.Optional(Type.String({ maxLength: 2048 })),
  incidentId: Type.Optional(Id),
  code: Type.Optional(
    Type.String({
      maxLength: 16,
      description: 'Code of a text message; confirms the subscription',
    }),
  ),
  scope: Type.Optional(
    OneOf(['all', 'some'], {
      description:
        'All components, or the selected ones; absent: the default components of the page',
    }),
  ),
})

export const pageOperations = operationsOf('core', 'pages', {
  show: {
    ...pageRead,
    route: 'GET /status/{slug}',
    summary: 'Read the status page',
    description:
      'Active incidents, components with their history by day, maintenances and past incidents. ' +
      MARKDOWN_NOTE,
    params: SlugParams,
    query: Type.Object({ ...LocaleQuery.properties, ...MetricRangeQuery.properties }),
    produces: [HTML, MARKDOWN],
  },
  history: {
    ...pageRead,
    route: 'GET /status/{slug}/history',
    summary: 'Read the incidents and maintenances of a month',
    description: `\`month\` defaults to the current month in the page's time zone. ${MARKDOWN_NOTE}`,
    params: SlugParams,
    query: MonthQuery,
    produces: [HTML, MARKDOWN],
  },
  uptime: {
    ...pageRead,
    route: 'GET /status/{slug}/uptime',
    summary: 'Read the uptime of the components in a month',
    description:
      "`month` defaults to the current month in the page's time zone. Lists the days with " +
      `downtime and their incidents. 404 for a page that shows no uptime. ${MARKDOWN_NOTE}`,
    params: SlugParams,
    query: MonthQuery,
    produces: [HTML, MARKDOWN],
  },
  incident: {
    ...pageRead,
    route: 'GET /status/{slug}/incidents/{id}',
    summary: 'Read the page of an incident',
    description:
      `${MARKDOWN_NOTE} The id that an imported incident or maintenance has at its source is ` +
      'redirected to its page.',
    params: Type.Object({ slug, id: Type.String({ minLength: 1, maxLength: 64 }) }),
    query: LocaleQuery,
    produces: [HTML, MARKDOWN],
  },
  maintenance: {
    ...pageRead,
    route: 'GET /status/{slug}/maintenances/{id}',
    summary: 'Read the page of a maintenance',
    description: MARKDOWN_NOTE,
    params: SlugAndIdParams,
    query: LocaleQuery,
    produces: [HTML, MARKDOWN],
  },
  subscribePage: {
    ...pageRead,
    route: 'GET /status/{slug}/subscribe',
    summary: 'Read the page for subscriptions, feeds and calendar',
    params: SlugParams,
    query: Type.Object({
      ...LocaleQuery.properties,
      asked: Type.Optional(OneOf(subscriberTypes)),
      incidentId: Type.Optional(Id),
    }),
    produces: [HTML],
  },
  subscribeForm: {
    route: 'POST /status/{slug}/subscribe',
    base: 'root',
    status: 303,
    summary: 'Submit the subscription form',
    description:
      'Like `POST /public/status/{slug}/subscribe`; selected components are fields ' +
      '`component-<id>`. Invalid input returns 400 with the form.',
    permission: 'public',
    bucket: 'public',
    alsoCounts: ['sign_up'],
    params: SlugParams,
    query: LocaleQuery,
    body: SubscribeForm,
    bodyType: 'form',
    reply: Type.String(),
    produces: [HTML],
  },
  accessPage: {
    ...pageRead,
    route: 'GET /status/{slug}/access',
    summary: 'Read the password form of a page',
    params: SlugParams,
    produces: [HTML],
  },
  accessForm: {
    route: 'POST /status/{slug}/access',
    base: 'root',
    status: 303,
    summary: 'Submit the password form of a page',
    description:
      'Like `POST /public/status/{slug}/access`; a wrong password returns 401 with the form.',
    permission: 'public',
    bucket: 'public',
    params: SlugParams,
    body: Type.Object({ password: EnteredPassword }),
    bodyType: 'form',
    reply: Type.String(),
    produces: [HTML],
  },
  widget: {
    ...pageRead,
    route: 'GET /status/{slug}/embed',
    summary: 'Read a compact status for an iframe on another site',
    params: SlugParams,
    produces: [HTML],
  },
  announcement: {
    ...pageRead,
    route: 'GET /status/{slug}/embed.js',
    summary: 'Read the script that shows incidents and maintenances on another site',
    description:
      '`<script src="{base_url}/status/{slug}/embed.js" async></script>` adds one element to ' +
      'the end of `body` while an incident or maintenance is active; it requests only ' +
      '`summary.json` of the page. For public pages only.',
    params: SlugParams,
    produces: ['text/javascript'],
  },
  favicon: {
    ...pageRead,
    route: 'GET /status/{slug}/favicon.svg',
    summary: "Read the page's icon in the colour of its status",
    params: SlugParams,
    produces: ['image/svg+xml'],
  },
  picture: {
    ...pageRead,
    route: 'GET /status/{slug}/og.png',
    summary: 'Read the image for link previews',
    description:
      'PNG of 1200 by 630 pixels with the current status, in the language and colours of the ' +
      'page. The page refers to it with a query that changes with the status, so that previews ' +
      'are fetched again; the query is not evaluated.',
    params: SlugParams,
    produces: ['image/png'],
  },
  llms: {
    ...pageRead,
    route: 'GET /status/{slug}/llms.txt',
    summary: 'Read the index of machine-readable content (llmstxt.org)',
    params: SlugParams,
    produces: ['text/plain'],
  },
  sitemap: {
    ...pageRead,
    route: 'GET /status/{slug}/sitemap.xml',
    summary: 'Read the sitemap of the page',
    description: '404 when search engines must not index the page.',
    params: SlugParams,
    produces: ['application/xml'],
  },
  robots: {
    ...pageRead,
    route: 'GET /status/{slug}/robots.txt',
    summary: 'Read robots.txt of a custom domain',
    params: SlugParams,
    produces: ['text/plain'],
  },
})

/** Paths of a Statuspage, which links of clients and feed readers have after a move. */
const redirectOf = (paths: string) => ({
  ...pageRead,
  status: 301,
  summary: `Redirect ${paths} of a Statuspage`,
  produces: [HTML],
})

const FileName = Type.String({ pattern: '^[a-z-]{1,64}[.]json$' })

export const statuspagePathOperations = operationsOf('core', 'pages', {
  statuspageAtom: {
    ...redirectOf('the Atom feed'),
    route: 'GET /status/{slug}/history.atom',
    params: SlugParams,
  },
  statuspageRss: {
    ...redirectOf('the RSS feed'),
    route: 'GET /status/{slug}/history.rss',
    params: SlugParams,
  },
  statuspageDocument: {
    ...redirectOf('the documents of the API'),
    route: 'GET /status/{slug}/api/v2/{file}',
    params: Type.Object({ slug, file: FileName }),
  },
  statuspageList: {
    ...redirectOf('the lists of the API'),
    route: 'GET /status/{slug}/api/v2/{folder}/{file}',
    params: Type.Object({
      slug,
      folder: Type.String({ pattern: '^[a-z-]{1,64}$' }),
      file: FileName,
    }),
  },
})

const EVENT_STREAM = 'text/event-stream'

/** Event stream of a page's changes, served by the gateway from its page cache. */
const streamOf = (page: string) => ({
  ...pageRead,
  produces: [EVENT_STREAM],
  summary: `Follow changes of ${page}`,
  description:
    "Server-sent events. The data of each event is the version of the page's content, the " +
    `same as in attribute \`${PAGE_VERSION_ATTRIBUTE}\` of its \`main\` element. The first event ` +
    'is sent at once, then one per change. The stream ends after some minutes, and when the ' +
    'access rules of the page change; reconnect then. A client without access gets the ' +
    'response of the page. 204: the page has no event stream. 503: too many open event ' +
    'streams; poll the page instead.',
})

/** Event streams, each below the path of its page. */
export const pageLiveOperations = operationsOf('gateway', 'pages', {
  live: {
    ...streamOf('the status page'),
    route: 'GET /status/{slug}/live',
    params: SlugParams,
    query: LocaleQuery,
  },
  liveIncident: {
    ...streamOf('the page of an incident'),
    route: 'GET /status/{slug}/incidents/{id}/live',
    params: SlugAndIdParams,
    query: LocaleQuery,
  },
  liveMaintenance: {
    ...streamOf('the page of a maintenance'),
    route: 'GET /status/{slug}/maintenances/{id}/live',
    params: SlugAndIdParams,
    query: LocaleQuery,
  },
})

const MAX_LISTED_DOMAINS = 1_000

/** Internal operation by which the gateway reads the custom domains of pages. */
export const pageDomainOperations = operationsOf('core', 'page-domains', {
  list: {
    route: 'GET /internal/page-domains',
    summary: 'List the active custom domains of published pages',
    permission: 'public',
    bucket: 'public read',
    query: Type.Object({
      after: Type.String({
        maxLength: 253,
        default: '',
        description: 'Last name of the previous page',
      }),
    }),
    reply: Type.Object({
      domains: Type.Array(Type.Object({ domain: Type.String(), slug: Type.String() }), {
        maxItems: MAX_LISTED_DOMAINS,
      }),
      isLast: Type.Boolean(),
    }),
  },
})

export const PAGE_DOMAINS_BATCH = MAX_LISTED_DOMAINS
