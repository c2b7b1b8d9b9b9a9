/** Texts of a page are rendered after its data is read, so rendering holds no connection. */
import { trustedMarkup } from '@status-page/html'
import { read } from '@status-page/postgres'
import { runToEnd } from '@status-page/service'
import t from 'tap'
import { BASE_URL, coreKit } from '../../core.fixture.ts'
import { createPageView } from '../access/page-access.ts'
import { createPageFrame } from '../html/layout/frame.ts'
import { type HtmlDocument, renderDocument } from '../html/layout/layout.ts'
import { pageUrls } from '../html/layout/urls.ts'
import { publishedOn } from '../html/pages.fixture.ts'
import { findPages } from '../settings/store.ts'
import { preparePageCalendar } from './maintenances.ts'
import { preparePageFeed } from './page-queries.ts'

const kit = await coreKit(t)
const { organizationId, component, open, page: created } = await publishedOn(kit)

t.test('a feed and a calendar are rendered after the transaction', async (t) => {
  await open({ title: 'Slow API', componentIds: [await component('API')] })
  const { feed, calendar } = await read(kit.database, organizationId, async (scope) => {
    const [page] = await findPages(scope, [created.id])
    if (page === undefined) throw new Error('the page is missing')
    const view = await createPageView(scope, page, BASE_URL)
    return {
      feed: await preparePageFeed(view, { format: 'atom' }),
      calendar: await preparePageCalendar(view),
    }
  })
  t.match(String(runToEnd(feed)), /Slow API/)
  t.match(String(runToEnd(calendar)), /BEGIN:VCALENDAR/)
})

t.test('a page that does not poll has no digest of its content', async (t) => {
  const [page] = await read(kit.database, organizationId, (scope) => findPages(scope, [created.id]))
  if (page === undefined) throw new Error('the page is missing')
  const frame = createPageFrame(page, pageUrls(page, {}, BASE_URL))
  const document: HtmlDocument = {
    title: 'History',
    description: '',
    part: '/history',
    icon: '',
    previewImage: { alt: '', state: '' },
    liveSeconds: null,
    isIndexed: false,
    content: trustedMarkup('x'.repeat(8 * 1024 * 1024)),
  }
  const pausesOf = (liveSeconds: number | null) =>
    [...renderDocument(frame, { ...document, liveSeconds })].length
  t.ok(pausesOf(60) >= pausesOf(null) + 16, 'the digest of 8 MB is made in 16 steps')
})
