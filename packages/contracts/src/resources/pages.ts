/** Status pages as people, readers of text and other sites see them; complete without a script. */
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

/** The custom domain by which a page is asked for; the gateway says so to core, nobody else. */
export const PAGE_DOMAIN_HEADER = 'x-internal-page-domain'
/** Whose page an answer is; core says so to the gateway, which tells nobody. */
export const PAGE_OWNER_HEADER = 'x-internal-organization'

/** Stands hidden on every page that lives; who serves it late shows it and puts in the time. */
export const OUTDATED_NOTE = {
  start: '<p id="outdated" class="note" role="status" hidden>',
  time: '<time></time>',
} as const

/** The attribute of what a page says that stays the same as long as it says the same. */
export const PAGE_VERSION_ATTRIBUTE = 'data-version'

const MARKDOWN_NOTE = 'With `Accept: text/markdown` the same as Markdown.'

/** One reading of a page; all of them are for whom the page admits, and cacheable if that is everybody. */
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

/** Addresses are judged by `SignUp`; whoever types one amiss is shown the form again. */
const SubscribeForm = Type.Object({
  type: OneOf(subscriberTypes, { default: 'email' }),
  email: Type.Optional(Type.String({ maxLength: 254 })),
  phone: Type.Optional(Type.String({ maxLength: 32 })),
  webhookUrl: Type.Optional(Type.String({ maxLength: 2048 })),
  code: Type.Optional(Type.String({ maxLength: 16, description: 'Of a text message: confirms' })),
  scope: OneOf(['all', 'some'], { default: 'all', description: 'All components, or those ticked' }),
})

export const pageOperations = {
  show: readOperation('pages.show', '/status/{slug}', {
    summary: 'The status page',
    description:
      'What is going on now, the components with their days, what is planned and what was. ' +
      MARKDOWN_NOTE,
    params: SlugParams,
    produces: [HTML, MARKDOWN],
  }),
  history: readOperation('pages.history', '/status/{slug}/history', {
    summary: 'Incidents and maintenances of a month',
    description: `Without \`month\` those of the present one, in the page's time zone. ${MARKDOWN_NOTE}`,
    params: SlugParams,
    query: Type.Object({
      month: Type.Optional(Type.String({ pattern: '^2[0-9]{3}-(0[1-9]|1[0-2])$' })),
    }),
    produces: [HTML, MARKDOWN],
  }),
  incident: readOperation('pages.incident', '/status/{slug}/incidents/{id}', {
    summary: 'One incident with its updates and its postmortem',
    description: MARKDOWN_NOTE,
    params: SlugAndIdParams,
    produces: [HTML, MARKDOWN],
  }),
  maintenance: readOperation('pages.maintenance', '/status/{slug}/maintenances/{id}', {
    summary: 'One maintenance with its updates',
    description: MARKDOWN_NOTE,
    params: SlugAndIdParams,
    produces: [HTML, MARKDOWN],
  }),
  subscribePage: readOperation('pages.subscribePage', '/status/{slug}/subscribe', {
    summary: 'Forms to subscribe with, feeds and calendar',
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
    summary: 'Subscribe from that page',
    description:
      'As POST `/public/status/{slug}/subscribe`; `component-<id>` are the boxes that are ticked. ' +
      'What the page does not take is 400 with the form again.',
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
    summary: 'Form for the password of a page',
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
    summary: 'Show the password of a page from that form',
    description: 'As POST `/public/status/{slug}/access`; a wrong one is 401 with the form again.',
    permission: 'public',
    bucket: 'public',
    params: SlugParams,
    body: Type.Object({ password: EnteredPassword }),
    bodyType: 'form',
    reply: Type.String(),
    produces: [HTML],
  }),
  widget: readOperation('pages.widget', '/status/{slug}/embed', {
    summary: 'A small status to put into a frame of another site',
    params: SlugParams,
    produces: [HTML],
  }),
  announcement: readOperation('pages.announcement', '/status/{slug}/embed.js', {
    summary: 'A script for other sites: a bar that appears while something is going on',
    description:
      '`<script src="{base_url}/status/{slug}/embed.js" async></script>` adds one element to the ' +
      'end of `body`; it reads `summary.json` of the page and nothing else. Only for pages that ' +
      'are for everybody.',
    params: SlugParams,
    produces: ['text/javascript'],
  }),
  favicon: readOperation('pages.favicon', '/status/{slug}/favicon.svg', {
    summary: 'An icon that says the state',
    params: SlugParams,
    produces: ['image/svg+xml'],
  }),
  picture: readOperation('pages.picture', '/status/{slug}/og.png', {
    summary: 'A picture that says the state, for previews of a link',
    description:
      '1200 by 630 pixels, in the language and colours of the page. The page names it with a query ' +
      'that changes with the state, so that previews fetch it anew; nothing else is read from it.',
    params: SlugParams,
    produces: ['image/png'],
  }),
  llms: readOperation('pages.llms', '/status/{slug}/llms.txt', {
    summary: 'Where programs find what the page says (llmstxt.org)',
    params: SlugParams,
    produces: ['text/plain'],
  }),
  sitemap: readOperation('pages.sitemap', '/status/{slug}/sitemap.xml', {
    summary: 'Addresses of the page for search engines; 404 where it is not to be indexed',
    params: SlugParams,
    produces: ['application/xml'],
  }),
  robots: readOperation('pages.robots', '/status/{slug}/robots.txt', {
    summary: 'What search engines may visit, for a custom domain',
    params: SlugParams,
    produces: ['text/plain'],
  }),
}

const EVENT_STREAM = 'text/event-stream'

/** Tells who reads a page that it has changed; kept open by the gateway, which keeps the page. */
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
    summary: `Be told when ${what} has changed`,
    description:
      'Server-sent events. The data of each is the version of what the page says, which is also ' +
      `the \`${PAGE_VERSION_ATTRIBUTE}\` of its \`main\`: one at once, and one for each change. The ` +
      'stream ends after some minutes, and when who may see the page changes: connect again. Who ' +
      'may not see the page is answered as by the page. 204: the page tells of no changes. 503: ' +
      'there are too many streams; look from time to time.',
    ...spec,
  } as const)

/** Each below what it tells of. */
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

/** How the gateway learns which names lead to which pages. */
export const pageDomainOperations = {
  list: operation({
    id: 'page-domains.list',
    service: 'core',
    method: 'GET',
    path: '/internal/page-domains',
    status: 200,
    summary: 'Active custom domains of published pages, by name',
    permission: 'public',
    bucket: 'public read',
    query: Type.Object({
      after: Type.String({
        maxLength: 253,
        default: '',
        description: 'The last name that is known',
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
