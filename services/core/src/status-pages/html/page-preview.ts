/** Preview of a status page with settings that are not stored, by the renderer of the public page. */
import { type Cooperative, notFound, type statusPageOperations } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { type Call, runCooperatively } from '@status-page/service'
import { findComponents } from '../../components/store.ts'
import { createPageView } from '../access/page-access.ts'
import { pageLocales } from '../page-language.ts'
import { changePage, listedComponentIds } from '../settings/rules.ts'
import { findPages } from '../settings/store.ts'
import { loadStatusPageData } from './documents/queries.ts'
import { statusPageDocument } from './documents/status-page.ts'
import { createPageFrame } from './layout/frame.ts'
import { renderDocument } from './layout/layout.ts'
import { pageUrls } from './layout/urls.ts'

export interface PagePreviewDeps {
  baseUrl: string
  /** Host name of BASE_URL. */
  ownHost: string
}

type PreviewCall = Call<typeof statusPageOperations.preview>

/** Rendered after the transaction, as every page. */
export const previewPage = async (
  deps: PagePreviewDeps,
  { params, body, read }: PreviewCall,
): Promise<{ html: string }> => {
  const document = await read((scope) => preparePreview(deps, scope, { id: params.id, body }))
  return { html: (await runCooperatively(document)).toString() }
}

const preparePreview = async (
  { baseUrl, ownHost }: PagePreviewDeps,
  scope: Scope,
  { id, body }: { id: string; body: PreviewCall['body'] },
): Promise<Cooperative<Buffer>> => {
  const [stored] = await findPages(scope, [id])
  if (stored === undefined) throw notFound()
  const known = new Set((await findComponents(scope, listedComponentIds(body))).keys())
  const { now } = scope
  const page = changePage(stored, body, { known, password: undefined, ownHost, now })
  const current = await loadStatusPageData(await createPageView(scope, page, baseUrl))
  const frame = {
    ...createPageFrame(page, pageUrls(page, {}, baseUrl)),
    locales: pageLocales(page),
  }
  return renderDocument(frame, statusPageDocument(frame, current))
}
