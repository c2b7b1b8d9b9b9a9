/** Status pages as HTML, Markdown and embeddable parts; usable without scripts. */
import { type TObject, Type } from '@sinclair/typebox'
import { operation } from '../operation.ts'
import { Id, OneOf } from '../scalars.ts'
import { EnteredPassword } from './auth.ts'
import { subscriberTypes } from './subscribers.ts'

const slug = Type.String({ maxLength: 63 })
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

/** Hidden note on every live page; the gateway shows it with the time when it serves stale data. */
export const OUTDATED_NOTE = {
  start: '<p id="outdated" class="note" role="status" hidden>',
  time: '<time></time>',
} as const

/** Attribute with the version of the visible content; equal content has an equal version. */
export const PAGE_VERSION_ATTRIBUTE = 'data-version'

const MARKDOWN_NOTE = '`Accept: text/markdown` returns the content as Markdown.'

/**
 * Operation that reads a representation of a page. The page's access rules apply; representations
 * of public pages are cacheable.
 */
const readOperation = <
  const Id extends string,
  const Path extends string,
  const Rest extends {
    summary: string
    description?: string
    produces: readonly string[]
    params: TObject
    query?: TObject
  },
>(
  id: Id,
  path: Path,
  rest: Rest,
) =>
  operation({
    id,
    path,
    service: 'core',
    method: 'GET',
    base: 'root',
    status: 200,
    permission: 'public',
    bucket: 'public read',
    reply: Type.String(),
    ...rest,
  } as const)

/**
 * Fields of the form; `SignUp` validates the address, and an invalid one returns the form with the
 * error.
 */
const SubscribeForm = Type.Object({
  type: OneOf(subscriberTypes, { default: 'email' }),
  email: Type.Optional(Type.String({ maxLength: 254 })),
  phone: Type.Optional(Type.String({ maxLength: 32 })),
  webhookUrl: Type.Optional(Type.String({ maxLength: 2048 })),
  code: Type.Optional(
    Type.String({
      maxLength: 16,
      description: 'Code of a text message; confirms the subscription',
    }),
  ),
  scope: OneOf(['all', 'some'], {
    default: 'all',
    description: 'All components, or the selected ones',
  }),
})

export const pageOperations = {
  show: readOperation('pages.show', '/status/{slug}', {
    summary: 'Read the status page',
    description:
      'Active incidents, components with their history by day, maintenances and past incidents. ' +
      MARKDOWN_NOTE,
    params: SlugParams,
    produces: [HTML, MARKDOWN],
  }),
  history: readOperation('pages.history', '/status/{slug}/history', {
    summary: 'Read the incidents and maintenances of a month',
    description: `\`month\` defaults to the current month in the page's time zone. ${MARKDOWN_NOTE}`,
    params: SlugParams,
    query: Type.Object({
      month: Type.Optional(Type.String({ pattern: '^2[0-9]{3}-(0[1-9]|1[0-2])$' })),
    }),
    produces: [HTML, MARKDOWN],
  }),
  incident: readOperation('pages.incident', '/status/{slug}/incidents/{id}', {
    summary: 'Read the page of an incident',
    description: MARKDOWN_NOTE,
    params: SlugAndIdParams,
    produces: [HTML, MARKDOWN],
  }),
  maintenance: readOperation('pages.maintenance', '/status/{slug}/maintenances/{id}', {
    summary: 'Read the page of a maintenance',
    description: MARKDOWN_NOTE,
    params: SlugAndIdParams,
    produces: [HTML, MARKDOWN],
  }),
  subscribePage: readOperation('pages.subscribePage', '/status/{slug}/subscribe', {
    summary: 'Read the page for subscriptions, feeds and calendar',
    params: SlugParams,
    query: Type.Object({ asked: Type.Optional(OneOf(subscriberTypes)) }),
    produces: [HTML],
  }),
  subscribeForm: operation({
    id: 'pages.subscribeForm',
    service: 'core',
    method: 'POST',
    path: '/status/{slug}/subscribe',
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
    body: SubscribeForm,
    bodyType: 'form',
    reply: Type.String(),
    produces: [HTML],
  }),
  accessPage: readOperation('pages.accessPage', '/status/{slug}/access', {
    summary: 'Read the password form of a page',
    params: SlugParams,
    produces: [HTML],
  }),
  accessForm: operation({
    id: 'pages.accessForm',
    service: 'core',
    method: 'POST',
    path: '/status/{slug}/access',
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
  }),
  widget: readOperation('pages.widget', '/status/{slug}/embed', {
    summary: 'Read a compact status for an iframe on another site',
    params: SlugParams,
    produces: [HTML],
  }),
  announcement: readOperation('pages.announcement', '/status/{slug}/embed.js', {
    summary: 'Read the script that shows incidents and maintenances on another site',
    description:
      '`<script src="{base_url}/status/{slug}/embed.js" async></script>` adds one element to ' +
      'the end of `body` while an incident or maintenance is active; it requests only ' +
      '`summary.json` of the page. For public pages only.',
    params: SlugParams,
    produces: ['text/javascript'],
  }),
  favicon: readOperation('pages.favicon', '/status/{slug}/favicon.svg', {
    summary: "Read the page's icon in the colour of its status",
    params: SlugParams,
    produces: ['image/svg+xml'],
  }),
  picture: readOperation('pages.picture', '/status/{slug}/og.png', {
    summary: 'Read the image for link previews',
    description:
      'PNG of 1200 by 630 pixels with the current status, in the language and colours of the ' +
      'page. The page refers to it with a query that changes with the status, so that previews ' +
      'are fetched again; the query is not evaluated.',
    params: SlugParams,
    produces: ['image/png'],
  }),
  llms: readOperation('pages.llms', '/status/{slug}/llms.txt', {
    summary: 'Read the index of machine-readable content (llmstxt.org)',
    params: SlugParams,
    produces: ['text/plain'],
  }),
  sitemap: readOperation('pages.sitemap', '/status/{slug}/sitemap.xml', {
    summary: 'Read the sitemap of the page',
    description: '404 when search engines must not index the page.',
    params: SlugParams,
    produces: ['application/xml'],
  }),
  robots: readOperation('pages.robots', '/status/{slug}/robots.txt', {
    summary: 'Read robots.txt of a custom domain',
    params: SlugParams,
    produces: ['text/plain'],
  }),
}

const EVENT_STREAM = 'text/event-stream'

/** Event stream of a page's changes, served by the gateway from its page cache. */
const streamOperation = <const Spec extends { id: string; path: string; params: TObject }>(
  spec: Spec,
  what: string,
) =>
  operation({
    service: 'gateway',
    method: 'GET',
    base: 'root',
    status: 200,
    permission: 'public',
    bucket: 'public read',
    reply: Type.String(),
    produces: [EVENT_STREAM],
    summary: `Follow changes of ${what}`,
    description:
      "Server-sent events. The data of each event is the version of the page's content, the " +
      `same as in attribute \`${PAGE_VERSION_ATTRIBUTE}\` of its \`main\` element. The first event ` +
      'is sent at once, then one per change. The stream ends after some minutes, and when the ' +
      'access rules of the page change; reconnect then. A client without access gets the ' +
      'response of the page. 204: the page has no event stream. 503: too many open event ' +
      'streams; poll the page instead.',
    ...spec,
  } as const)

/** Event streams, each below the path of its page. */
export const pageLiveOperations = {
  page: streamOperation(
    { id: 'pages.live', path: '/status/{slug}/live', params: SlugParams },
    'the status page',
  ),
  incident: streamOperation(
    {
      id: 'pages.liveIncident',
      params: SlugAndIdParams,
      path: '/status/{slug}/incidents/{id}/live',
    },
    'the page of an incident',
  ),
  maintenance: streamOperation(
    {
      id: 'pages.liveMaintenance',
      params: SlugAndIdParams,
      path: '/status/{slug}/maintenances/{id}/live',
    },
    'the page of a maintenance',
  ),
}

const MAX_LISTED_DOMAINS = 1_000

/** Internal operation by which the gateway reads the custom domains of pages. */
export const pageDomainOperations = {
  list: operation({
    id: 'page-domains.list',
    service: 'core',
    method: 'GET',
    path: '/internal/page-domains',
    status: 200,
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
  }),
}

export const PAGE_DOMAINS_BATCH = MAX_LISTED_DOMAINS
