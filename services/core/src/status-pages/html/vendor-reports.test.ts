/** Reports of vendors on a status page: marked as theirs, and text only. */
import { locales, type UpstreamMode, type VendorReport } from '@status-page/contracts'
import { hostileMarkup } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'
import { VENDOR_URL, vendorReport, vendorStatusEvent } from '../../vendors/vendors.fixture.ts'
import { publishedOn } from './pages.fixture.ts'

const kit = await coreKit(t)

const pageWith = async (mode: UpstreamMode, report: Partial<VendorReport>, settings = {}) => {
  const page = await publishedOn(kit, settings)
  const id = await page.component('Payments', { upstream: { url: VENDOR_URL, mode } })
  const event = vendorStatusEvent(id, 1, { report: vendorReport(report) })
  await kit.publishAndHandle('monitor', page.organizationId, event)
  const text = async (path: string, headers = {}) => (await page.get(path, headers)).body
  return { ...page, text, json: async () => JSON.parse((await page.data('')).body) }
}

t.test('a report is shown next to its component, with its source and its time', async (t) => {
  const message = 'Elevated errors'
  const { text, json } = await pageWith('mirror', { status: 'partial_outage', message })
  const html = await text('')
  t.match(html, `<a href="${VENDOR_URL}" rel="nofollow noopener"><bdi>Acme</bdi></a> reports:`)
  t.match(html, /reports: Partial outage <q><bdi>Elevated errors<\/bdi><\/q> <time datetime=/)
  t.match(
    await text('', { accept: 'text/markdown' }),
    /Acme\]\(<https:.*>\) reports: Partial outage/,
  )
  const { components } = await json()
  t.match(components, [
    {
      status: 'partial_outage',
      vendorReport: { vendor: 'Acme', status: 'partial_outage', message },
    },
  ])
  t.notOk('error' in components[0].vendorReport)
})

t.test('a page without data is shown as such, and a draft is not shown', async (t) => {
  const note = await pageWith('note', { status: 'no_data' })
  t.match(await note.text(''), /No data from <a .*>Acme<\/bdi><\/a> since <time datetime=/)
  t.match(
    await note.text('', { accept: 'text/markdown' }),
    /No data from \[Acme\]\(<.*>\) since \S/,
  )
  t.match((await note.json()).components, [{ status: 'operational' }])
  const draft = await pageWith('draft', { status: 'major_outage', vendor: 'Umbrella' })
  t.notMatch(await draft.text(''), /Umbrella/)
  t.match((await draft.json()).components, [{ status: 'operational', vendorReport: null }])
})

t.test('every language has the statement', async (t) => {
  for (const locale of locales) {
    const { text } = await pageWith('note', { status: 'major_outage' }, { locale })
    t.match(await text(''), /<p class="sm q vendor">.*Acme.*<\/p>/, locale)
  }
})

t.test('texts of a vendor stay text', async (t) => {
  // The monitor removes control characters.
  for (const markup of hostileMarkup.filter((one) => one.includes('<') && !one.includes('\0'))) {
    const { text } = await pageWith('note', { vendor: markup, message: markup })
    t.notOk((await text('')).includes(markup), encodeURI(markup))
  }
})
