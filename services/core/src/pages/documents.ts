/** The pages that are read: each as HTML, and as Markdown for who would rather have that. */
import { type pageOperations, prefersMarkdown } from '@status-page/contracts'
import { type Call, type Handlers, inSlices, type RawReply } from '@status-page/service'
import { type Answer, MAX_AGE_SECONDS, maxAgeWith } from '../public/caching.ts'
import { type GateDeps, onPage, type PageCall, type View } from '../public/gate.ts'
import { incidentOf } from '../public/reading.ts'
import { currentOf, maintenanceOf, monthOf } from './contents.ts'
import { type Document, type Frame, frameOf, rendered } from './frame.ts'
import * as markdown from './markdown.ts'
import { historyDocument, incidentDocument, maintenanceDocument } from './past.ts'
import { forPeople, HTML } from './people.ts'
import { placeOf } from './place.ts'
import { showDocument } from './show.ts'

type PageHandlers = Handlers<typeof pageOperations>
type Reading = Pick<PageHandlers, 'show' | 'history' | 'incident' | 'maintenance'>

const MARKDOWN = 'text/markdown; charset=utf-8'

export const readingHandlers = (deps: GateDeps): Reading => ({
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

interface Kind<Asked extends PageCall, Contents> {
  read(view: View, call: Asked): Promise<Contents>
  asHtml(frame: Frame, contents: Contents): Document
  asMarkdown(frame: Frame, contents: Contents): string
  /** `MAX_AGE_SECONDS` where it is absent. */
  maxAgeSeconds?(contents: Contents): number
}

const documentOf =
  <Asked extends PageCall, Contents>(deps: GateDeps, kind: Kind<Asked, Contents>) =>
  (call: Asked): Promise<RawReply> =>
    forPeople(call, deps.baseUrl, () =>
      onPage(deps, call, async (view) => {
        const contents = await kind.read(view, call)
        const frame = frameOf(view.page, placeOf(view.page, call.headers, view.baseUrl))
        const maxAgeSeconds = kind.maxAgeSeconds?.(contents) ?? MAX_AGE_SECONDS
        return prefersMarkdown(call.headers.accept)
          ? asMarkdown(kind.asMarkdown(frame, contents), maxAgeSeconds)
          : { ...(await asHtml(frame, kind.asHtml(frame, contents))), maxAgeSeconds }
      }),
    )

const asHtml = async (frame: Frame, document: Document) => ({
  ...(await inSlices(rendered(frame, document))),
  contentType: HTML,
})

const asMarkdown = (body: string, maxAgeSeconds: number): Answer => ({
  ...{ body, contentType: MARKDOWN, maxAgeSeconds, headers: { vary: 'accept' } },
})
