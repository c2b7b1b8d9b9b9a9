/** What programs look for beside a page: where its data is, what may be indexed, which addresses there are. */
import { notFound, type PublicIncident } from '@status-page/contracts'
import { escapeXml } from '../escape.ts'
import type { StatusPageRow } from '../tables.ts'
import { incidentPart } from './incidents.ts'
import type { PageUrls } from './urls.ts'

/** https://llmstxt.org */
export const llmsText = (page: StatusPageRow, place: PageUrls, dataUrl: string): string => {
  const line = (url: string, what: string) => `- [${what}](${url})`
  return `# ${page.name.replaceAll(/[[\]()]/g, ' ')}: status

> Whether the systems of ${page.name.replaceAll(/[[\]()]/g, ' ')} work, what is wrong, what is planned.

Every page below answers \`Accept: text/markdown\` with Markdown.

## Now

${[
  line(place.url(''), 'Present state, open incidents, components, planned maintenance'),
  line(`${dataUrl}`, 'The same as JSON'),
  line(`${dataUrl}/api/v2/summary.json`, 'The same in the shape of Statuspage'),
].join('\n')}

## Past

${[
  line(place.url('/history'), 'Incidents and maintenance by month'),
  line(`${dataUrl}/incidents`, 'Incidents as JSON, paged'),
  line(`${dataUrl}/maintenances`, 'Maintenance as JSON, paged'),
  ...(page.allowFeeds ? [line(`${dataUrl}/feed?format=atom`, 'Feed of 90 days')] : []),
].join('\n')}
`
}

export const robotsText = (page: StatusPageRow, place: PageUrls): string =>
  page.allowIndexing
    ? `User-agent: *\nDisallow: /*/subscribe\nSitemap: ${place.url('/sitemap.xml')}\n`
    : 'User-agent: *\nDisallow: /\n'

export const sitemapXml = (
  page: StatusPageRow,
  place: PageUrls,
  { updatedAt, incidents }: { updatedAt: string; incidents: readonly PublicIncident[] },
): string => {
  if (!page.allowIndexing) throw notFound()
  const entry = (part: string, at: string) =>
    `<url><loc>${escapeXml(place.url(part))}</loc><lastmod>${at}</lastmod></url>`
  const entries = [
    entry('', updatedAt),
    entry('/history', updatedAt),
    ...incidents.map((one) => entry(incidentPart(one), one.updatedAt)),
  ]
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join('\n')}
</urlset>
`
}
