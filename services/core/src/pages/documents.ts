/** Handlers of the documents of a page, as HTML or Markdown. */
import { type Cooperative, type pageOperations, prefersMarkdown } from '@status-page/contracts'
import { type Call, type Handlers, type RawReply, runCooperatively } from '@status-page/service'
import { MAX_AGE_SECONDS, maxAgeWith } from '../public/caching.ts'
import {
  type GateDeps,
  type PageCall,
  type PageView,
  withPageAccess,
} from '../public/page-access.ts'
import { incidentOf } from '../public/page-queries.ts'
import { historyDocument, incidentDocument, maintenanceDocument } from './history.ts'
import { HTML, withHtmlErrors } from './html-errors.ts'
import { type Frame, frameOf, type HtmlDocument, rendered } from './layout.ts'
import * as markdown from './markdown.ts'
import { currentOf, maintenanceOf, monthOf } from './queries.ts'
import { showDocument } from './status-page.ts'
import { pageUrls } from './urls.ts'

type PageHandlers = Handlers<typeof pageOperations>
type DocumentHandlers = Pick<PageHandlers, 'show' | 'history' | 'incident' | 'maintenance'>

const MARKDOWN = 'text/markdown; charset=utf-8'

export const documentHandlers = (deps: GateDeps): DocumentHandlers => ({
  show: documentOf(deps, {
    read: (view, _call: PageCall) => currentOf(view),
    asHtml: showDocument,
    asMarkdown: markdown.showMarkdown,
    maxAgeSeconds: ({ status }) => maxAgeWith(status),
  }),
  history: documentOf(deps, {
    read: (view, { query }: Call<typeof pageOperations.history>) => monthOf(view, query.month),
    asHtml: historyDocument,
    asMarkdown: markdown.historyMarkdown,
  }),
  incident: documentOf(deps, {
    read: (view, { params }: CallWithId) => incidentOf(view, params.id),
    asHtml: incidentDocument,
    asMarkdown: markdown.incidentMarkdown,
  }),
  maintenance: documentOf(deps, {
    read: (view, { params }: CallWithId) => maintenanceOf(view, params.id),
    asHtml: maintenanceDocument,
    asMarkdown: markdown.maintenanceMarkdown,
  }),
})

type CallWithId = PageCall & { params: { id: string } }

interface DocumentKind<Request extends PageCall, Contents> {
  read(view: PageView, call: Request): Promise<Contents>
  asHtml(frame: Frame, contents: Contents): HtmlDocument
  asMarkdown(frame: Frame, contents: Contents): Cooperative<string>
  /** Defaults to `MAX_AGE_SECONDS`. */
  maxAgeSeconds?(contents: Contents): number
}

const documentOf =
  <Request extends PageCall, Contents>(deps: GateDeps, kind: DocumentKind<Request, Contents>) =>
  (call: Request): Promise<RawReply> =>
    withHtmlErrors(call, deps.baseUrl, () =>
      withPageAccess(deps, call, async (view) => {
        const contents = await kind.read(view, call)
        const frame = frameOf(view.page, pageUrls(view.page, call.headers, view.baseUrl))
        const maxAgeSeconds = kind.maxAgeSeconds?.(contents) ?? MAX_AGE_SECONDS
        return prefersMarkdown(call.headers.accept)
          ? { ...(await asMarkdown(kind.asMarkdown(frame, contents))), maxAgeSeconds }
          : { ...(await asHtml(frame, kind.asHtml(frame, contents))), maxAgeSeconds }
      }),
    )

const asHtml = async (frame: Frame, document: HtmlDocument) => ({
  ...(await runCooperatively(rendered(frame, document))),
  contentType: HTML,
})

const asMarkdown = async (text: Cooperative<string>) => ({
  body: await runCooperatively(text),
  contentType: MARKDOWN,
  headers: { vary: 'accept' },
})
