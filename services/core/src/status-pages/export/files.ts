/** Static files of a page, readable without the service. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Cooperative, PublicIncident, PublicMaintenance } from '@status-page/contracts'
import { HTML_CONTENT_TYPE } from '@status-page/html'
import type { Database } from '@status-page/postgres'
import { runCooperatively, stringifyJson } from '@status-page/service'
import type { PageView } from '../access/page-access.ts'
import {
  historyDocument,
  incidentDocument,
  maintenanceDocument,
} from '../html/documents/history.ts'
import { incidentPath, maintenancePath } from '../html/documents/incidents.ts'
import {
  type HistoryMonth,
  loadHistoryMonth,
  loadStatusPageData,
} from '../html/documents/queries.ts'
import { statusPageDocument } from '../html/documents/status-page.ts'
import { uptimeDocument } from '../html/documents/uptime.ts'
import { loadUptimeMonth, type UptimeMonth } from '../html/documents/uptime-queries.ts'
import { createPageFrame, type PageFrame } from '../html/layout/frame.ts'
import { type HtmlDocument, renderDocument } from '../html/layout/layout.ts'
import { pageUrls } from '../html/layout/urls.ts'
import { feedContentTypes } from '../public/feeds.ts'
import { preparePageCalendar } from '../public/maintenances.ts'
import { preparePageBadge, preparePageFeed } from '../public/page-queries.ts'
import { statuspageDocuments } from '../public/statuspage-routes.ts'
import type { ExportedFile } from './exported-file.ts'
import { imageFilesOf } from './images.ts'
import {
  exportedFilePath,
  feedFilePath,
  type StaticSiteContext,
  staticUrls,
} from './static-urls.ts'

/** The current month and the eleven before it. */
const MAX_MONTHS = 12
const MAX_UPTIME_MONTHS = 4
const JSON_TYPE = 'application/json; charset=utf-8'

/** File whose data is read. */
interface PreparedFile extends Omit<ExportedFile, 'body'> {
  body: Cooperative<Buffer>
}

export type RenderFiles = () => Promise<ExportedFile[]>

/**
 * Reads the data of the files; the caller renders them after the transaction. They are in a
 * deterministic order.
 */
export const prepareStaticPageFiles = async (
  view: PageView,
  database: Database,
): Promise<RenderFiles> => {
  const data = [...(await documentsOf(view)), ...(await textsOf(view))]
  const images = await imageFilesOf(database, view)
  const pages = await pagesOf(view)
  const { page, baseUrl } = view
  return () => renderFiles({ page, baseUrl }, pages, { data, images })
}

const renderFiles = async (
  { page, baseUrl }: Pick<PageView, 'page' | 'baseUrl'>,
  pages: ReadonlyMap<string, DocumentBuilder>,
  { data, images }: { data: readonly PreparedFile[]; images: readonly ExportedFile[] },
): Promise<ExportedFile[]> => {
  const site: StaticSiteContext = {
    slug: page.slug,
    baseUrl,
    url: pageUrls(page, {}, baseUrl).url,
    written: new Set([...pages.keys(), ...[...data, ...images].map(({ path }) => path)]),
  }
  const files = [...images]
  for (const [path, document] of pages) {
    const frame = createPageFrame(page, staticUrls(path, site))
    const body = await runCooperatively(renderDocument(frame, document(frame)))
    files.push({ path, contentType: HTML_CONTENT_TYPE, body })
    await nextTurn()
  }
  for (const file of data) files.push({ ...file, body: await runCooperatively(file.body) })
  return files
}

type DocumentBuilder = (frame: PageFrame) => HtmlDocument

const pagesOf = async (view: PageView): Promise<Map<string, DocumentBuilder>> => {
  const current = await loadStatusPageData(view)
  const { status, recent } = current
  const months = await monthsOf(view)
  const { active, upcoming } = status.maintenances
  const pages = new Map<string, DocumentBuilder>()
  const add = (part: string, build: DocumentBuilder) => {
    const path = exportedFilePath(part)
    if (path !== null) pages.set(path, build)
  }
  add('', (frame) => statusPageDocument(frame, current))
  // Other months and the bars link to the current month by name, too.
  const addMonth = (part: string, month: string, build: DocumentBuilder) => {
    if (month === months[0]?.month) add(part, build)
    add(`${part}?month=${month}`, build)
  }
  for (const month of months) {
    addMonth('/history', month.month, (frame) => historyDocument(frame, month))
  }
  for (const month of await uptimeMonthsOf(view, months)) {
    addMonth('/uptime', month.month, (frame) => uptimeDocument(frame, month))
  }
  const incidents = [...status.activeIncidents, ...recent, ...listed(months, 'incidents')]
  for (const incident of incidents as PublicIncident[]) {
    add(incidentPath(incident), (frame) => incidentDocument(frame, incident))
  }
  const maintenances = [...active, ...upcoming, ...listed(months, 'maintenances')]
  for (const maintenance of maintenances as PublicMaintenance[]) {
    add(maintenancePath(maintenance), (frame) => maintenanceDocument(frame, maintenance))
  }
  return pages
}

const listed = <Name extends 'incidents' | 'maintenances'>(
  months: readonly HistoryMonth[],
  name: Name,
) => months.flatMap((month): HistoryMonth[Name][number][] => month[name])

const monthsOf = async (view: PageView): Promise<HistoryMonth[]> => {
  const months: HistoryMonth[] = []
  let name: string | null | undefined
  while (name !== null && months.length < MAX_MONTHS) {
    const month = await loadHistoryMonth(view, name)
    months.push(month)
    name = month.earlier
  }
  return months
}

/** Uptime of the months that the bars of the status page cover. */
const uptimeMonthsOf = async (
  view: PageView,
  months: readonly HistoryMonth[],
): Promise<UptimeMonth[]> => {
  const { page, shown } = view
  const hasUptime = [...shown.values()].some(({ showUptime }) => showUptime)
  if (!page.showUptimePercentage || !hasUptime) return []
  const uptimeMonths: UptimeMonth[] = []
  for (const { month } of months.slice(0, MAX_UPTIME_MONTHS)) {
    uptimeMonths.push(await loadUptimeMonth(view, month))
  }
  return uptimeMonths
}

const documentsOf = async (view: PageView): Promise<PreparedFile[]> => {
  const files: PreparedFile[] = []
  for (const [file, documentOf] of Object.entries(statuspageDocuments)) {
    const body = stringifyJson(await documentOf(view))
    files.push({ path: `api/v2/${file}.json`, contentType: JSON_TYPE, body })
  }
  return files
}

const textsOf = async (view: PageView): Promise<PreparedFile[]> => {
  const formats = view.page.allowFeeds ? (['rss', 'atom', 'json'] as const) : []
  const feeds: PreparedFile[] = []
  for (const format of formats) {
    const path = feedFilePath(format)
    const body = await preparePageFeed(view, { format })
    feeds.push({ path, contentType: feedContentTypes[format], body })
  }
  return [
    ...feeds,
    {
      path: 'maintenances.ics',
      contentType: 'text/calendar; charset=utf-8',
      body: await preparePageCalendar(view),
    },
    {
      path: 'badge.svg',
      contentType: 'image/svg+xml; charset=utf-8',
      body: await preparePageBadge(view, { metric: 'status' }),
    },
  ]
}
