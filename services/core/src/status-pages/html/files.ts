/**
 * Files of a page besides its documents: widget, banner script, favicon, link preview image and
 * texts for crawlers.
 */
import type { pageOperations } from '@status-page/contracts'
import { HTML_CONTENT_TYPE } from '@status-page/html'
import type { Handlers, RawReply } from '@status-page/service'
import { MAX_AGE_SECONDS, type PublicResponse, SLOW_MAX_AGE_SECONDS } from '../access/caching.ts'
import {
  type PageAccessDeps,
  type PageAccessRequest,
  type PageView,
  withPageAccess,
} from '../access/page-access.ts'
import { loadPageSummary } from '../public/page-queries.ts'
import { dataUrl } from '../settings/links.ts'
import { loadStatusPageData } from './documents/queries.ts'
import { bannerScript, widgetDocument } from './embed.ts'
import { createPageFrame, type PageFrame } from './layout/frame.ts'
import { faviconOf } from './layout/state-icon.ts'
import { pageUrls } from './layout/urls.ts'
import { previewImageInput } from './preview-image/preview-image-svg.ts'
import type { PreviewImages } from './preview-image/preview-images.ts'
import { llmsText, robotsText, sitemapXml } from './robots-and-sitemap.ts'

type PageHandlers = Handlers<typeof pageOperations>
type Files = Pick<
  PageHandlers,
  'widget' | 'announcement' | 'favicon' | 'picture' | 'llms' | 'sitemap' | 'robots'
>

const TEXT = 'text/plain; charset=utf-8'

export type FileDeps = PageAccessDeps & { previewImages: PreviewImages }

export const fileHandlers = (deps: FileDeps): Files => ({
  widget: fileOf(deps, async (view, frame) => ({
    ...widgetDocument(frame, await loadPageSummary(view)),
    contentType: HTML_CONTENT_TYPE,
    maxAgeSeconds: MAX_AGE_SECONDS,
  })),

  announcement: fileOf(deps, async ({ page, baseUrl }, frame) => ({
    body: bannerScript(frame, `${dataUrl(baseUrl, page.slug)}/api/v2/summary.json`),
    contentType: 'text/javascript; charset=utf-8',
    maxAgeSeconds: SLOW_MAX_AGE_SECONDS,
  })),

  favicon: fileOf(deps, async (view) => {
    const { status } = await loadPageSummary(view)
    return {
      body: faviconOf(view.page, status.indicator),
      contentType: 'image/svg+xml; charset=utf-8',
      maxAgeSeconds: MAX_AGE_SECONDS,
    }
  }),

  picture: fileOf(deps, async (view, frame) => {
    const { status } = await loadPageSummary(view)
    const input = previewImageInput(frame, status.indicator)
    return {
      body: () => deps.previewImages.png(input),
      contentType: 'image/png',
      maxAgeSeconds: MAX_AGE_SECONDS,
    }
  }),

  llms: fileOf(deps, async ({ page, baseUrl }, { urls }) =>
    asText(llmsText(page, urls, dataUrl(baseUrl, page.slug)), TEXT),
  ),

  sitemap: fileOf(deps, async (view, { page, urls }) => {
    const { status, recent } = await loadStatusPageData(view)
    const { updatedAt } = status.page
    const incidents = [...status.activeIncidents, ...recent]
    return asText(
      sitemapXml(page, urls, { updatedAt, incidents }),
      'application/xml; charset=utf-8',
    )
  }),

  robots: fileOf(deps, async (_view, { page, urls }) => asText(robotsText(page, urls), TEXT)),
})

const asText = (body: string, contentType: string): PublicResponse => ({
  body,
  contentType,
  maxAgeSeconds: SLOW_MAX_AGE_SECONDS,
})

const fileOf =
  (deps: PageAccessDeps, make: (view: PageView, frame: PageFrame) => Promise<PublicResponse>) =>
  (call: PageAccessRequest): Promise<RawReply> =>
    withPageAccess(deps, call, (view) =>
      make(view, createPageFrame(view.page, pageUrls(view.page, call.headers, view.baseUrl))),
    )
