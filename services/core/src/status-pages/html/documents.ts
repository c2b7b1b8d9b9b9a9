/** Handlers of the documents of a page, as HTML or Markdown. */
import {
  type Cooperative,
  type Locale,
  type pageOperations,
  prefersMarkdown,
} from '@status-page/contracts'
import { HTML_CONTENT_TYPE } from '@status-page/html'
import { type Call, type Handlers, type RawReply, textFormats } from '@status-page/service'
import { MAX_AGE_SECONDS, type PublicResponse, statusMaxAgeSeconds } from '../access/caching.ts'
import {
  type PageAccessDeps,
  type PageAccessRequest,
  type PageView,
  withPageAccess,
} from '../access/page-access.ts'
import { findPublicIncident } from '../public/page-queries.ts'
import { historyDocument, incidentDocument, maintenanceDocument } from './documents/history.ts'
import * as markdown from './documents/markdown.ts'
import { findPublicMaintenance, loadHistoryMonth, loadStatusPageData } from './documents/queries.ts'
import { statusPageDocument } from './documents/status-page.ts'
import { uptimeDocument } from './documents/uptime.ts'
import { loadUptimeMonth } from './documents/uptime-queries.ts'
import { createVisitorFrame, negotiationHeaders, type PageFrame } from './layout/frame.ts'
import { withHtmlErrors } from './layout/html-errors.ts'
import { documentHeaders, type HtmlDocument, renderDocument } from './layout/layout.ts'
import { redirectImportedItem } from './statuspage-paths.ts'

type PageHandlers = Handlers<typeof pageOperations>
type DocumentHandlers = Pick<
  PageHandlers,
  'show' | 'history' | 'uptime' | 'incident' | 'maintenance'
>

const MARKDOWN = 'text/markdown; charset=utf-8'

export const documentHandlers = (deps: PageAccessDeps): DocumentHandlers => ({
  show: documentOf(deps, {
    read: (view, { query }: Call<typeof pageOperations.show>) =>
      loadStatusPageData(view, query.metricRange),
    asHtml: statusPageDocument,
    asMarkdown: markdown.statusPageMarkdown,
    maxAgeSeconds: ({ status }) => statusMaxAgeSeconds(status),
  }),
  history: documentOf(deps, {
    read: (view, { query }: Call<typeof pageOperations.history>) =>
      loadHistoryMonth(view, query.month),
    asHtml: historyDocument,
    asMarkdown: markdown.historyMarkdown,
  }),
  uptime: documentOf(deps, {
    read: (view, { query }: Call<typeof pageOperations.uptime>) =>
      loadUptimeMonth(view, query.month),
    asHtml: uptimeDocument,
    asMarkdown: markdown.uptimeMarkdown,
  }),
  incident: documentOf(deps, {
    read: (view, { params }: CallWithId) => findPublicIncident(view, params.id),
    asHtml: incidentDocument,
    asMarkdown: markdown.incidentMarkdown,
    redirect: (view, call) => (isOwnId(call.params.id) ? null : redirectImportedItem(view, call)),
  }),
  maintenance: documentOf(deps, {
    read: (view, { params }: CallWithId) => findPublicMaintenance(view, params.id),
    asHtml: maintenanceDocument,
    asMarkdown: markdown.maintenanceMarkdown,
  }),
})

type DocumentRequest = PageAccessRequest & { query: { locale?: Locale } }
type CallWithId = DocumentRequest & { params: { id: string } }

/** Ids are UUIDs; those of other services have other forms. */
const isOwnId = (id: string): boolean => textFormats.uuid?.accepts(id) === true

interface DocumentKind<Request extends DocumentRequest, Contents> {
  read(view: PageView, call: Request): Promise<Contents>
  asHtml(frame: PageFrame, contents: Contents): HtmlDocument
  asMarkdown(frame: PageFrame, contents: Contents): Cooperative<Buffer>
  /** Defaults to `MAX_AGE_SECONDS`. */
  maxAgeSeconds?(contents: Contents): number
  /** Null for a request of the document itself. */
  redirect?(view: PageView, call: Request): Promise<PublicResponse> | null
}

const documentOf =
  <Request extends DocumentRequest, Contents>(
    deps: PageAccessDeps,
    kind: DocumentKind<Request, Contents>,
  ) =>
  (call: Request): Promise<RawReply> =>
    withHtmlErrors(call, deps.baseUrl, () =>
      withPageAccess(deps, call, async (view) => {
        const moved = kind.redirect?.(view, call) ?? null
        if (moved !== null) return moved
        const contents = await kind.read(view, call)
        const frame = createVisitorFrame(view, call)
        const maxAgeSeconds = kind.maxAgeSeconds?.(contents) ?? MAX_AGE_SECONDS
        return prefersMarkdown(call.headers.accept)
          ? { ...asMarkdown(frame, kind.asMarkdown(frame, contents)), maxAgeSeconds }
          : { ...asHtml(frame, kind.asHtml(frame, contents)), maxAgeSeconds }
      }),
    )

const asHtml = (frame: PageFrame, document: HtmlDocument) => ({
  body: renderDocument(frame, document),
  headers: documentHeaders(frame),
  contentType: HTML_CONTENT_TYPE,
})

const asMarkdown = (frame: PageFrame, body: Cooperative<Buffer>) => ({
  body,
  contentType: MARKDOWN,
  headers: negotiationHeaders(frame),
})
