/** Texts for crawlers: llms.txt, robots.txt and the sitemap. */
import { notFound, type PublicIncident } from '@status-page/contracts'
import { escapeXml } from '@status-page/html'
import type { StatusPageRow } from '../../tables.ts'
import { incidentPath } from './documents/incidents.ts'
import type { PageUrls } from './layout/urls.ts'

/** https://llmstxt.org */
export const llmsText = (page: StatusPageRow, urls: PageUrls, dataUrl: string): string => {
  const line = (url: string, what: string) => `- [${what}](${url})`
  return `# ${page.name.replaceAll(/[[\]()]/g, ' ')}: status

> Current status, active incidents and scheduled maintenance of ${page.name.replaceAll(/[[\]()]/g, ' ')}.

Every page below is available as Markdown with \`Accept: text/markdown\`.

## Current status

${[
  line(urls.url(''), 'Current status, active incidents, components, scheduled maintenance'),
  line(`${dataUrl}`, 'Current status as JSON'),
  line(`${dataUrl}/api/v2/summary.json`, 'Current status in the Statuspage format'),
].join('\n')}

## History

${[
  line(urls.url('/history'), 'Incidents and maintenance by month'),
  line(`${dataUrl}/incidents`, 'Incidents as JSON, paginated'),
  line(`${dataUrl}/maintenances`, 'Maintenance as JSON, paginated'),
  ...(page.allowFeeds
    ? [line(`${dataUrl}/feed?format=atom`, 'Atom feed of the last 90 days')]
    : []),
].join('\n')}
`
}

export const robotsText = (page: StatusPageRow, urls: PageUrls): string =>
  page.allowIndexing
    ? `User-agent: *\nDisallow: /*/subscribe\nSitemap: ${urls.url('/sitemap.xml')}\n`
    : 'User-agent: *\nDisallow: /\n'

export const sitemapXml = (
  page: StatusPageRow,
  urls: PageUrls,
  { updatedAt, incidents }: { updatedAt: string; incidents: readonly PublicIncident[] },
): string => {
  if (!page.allowIndexing) throw notFound()
  const entry = (part: string, at: string) =>
    `<url><loc>${escapeXml(urls.url(part))}</loc><lastmod>${at}</lastmod></url>`
  const entries = [
    entry('', updatedAt),
    entry('/history', updatedAt),
    ...incidents.map((incident) => entry(incidentPath(incident), incident.updatedAt)),
  ]
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join('\n')}
</urlset>
`
}
