/** Import of a page of Statuspage as the first step of an organization. */
import {
  componentOperations,
  incidentOperations,
  statusPageOperations,
} from '@status-page/contracts'
import { httpTarget } from '@status-page/testing'
import t from 'tap'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import { checkScreen, dashboardSettings, openDashboard } from '../kit/dashboard.ts'
import { register } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const world = await startWorld(t, await dashboardSettings())
const { baseUrl } = world.stack
const AT = '2026-08-01T09:30:00.000Z'

const documents: Record<string, object> = {
  summary: {
    page: { id: 'p1', name: 'Imported', url: 'https://imported.statuspage.io', time_zone: 'Mars' },
    components: [{ id: 'c1', name: '<b>API</b> & "Co"', status: 'operational' }],
  },
  incidents: {
    incidents: [
      {
        id: 'i1',
        name: 'Slow answers',
        status: 'resolved',
        created_at: AT,
        resolved_at: '2026-08-01T10:30:00.000Z',
        components: [{ id: 'c1' }],
      },
    ],
  },
  'scheduled-maintenances': { scheduled_maintenances: [] },
}

t.test(
  'the owner imports a page and sees what it became',
  { skip: browserSkipReason },
  async (t) => {
    const tenant = await register(world.api, 'dashboard-import')
    const source = await httpTarget(t, ({ url = '' }) => {
      const document = documents[/^\/api\/v2\/(.+)\.json$/.exec(url)?.[1] ?? '']
      return document === undefined
        ? { status: 404, body: '{}' }
        : { body: JSON.stringify(document) }
    })
    const browser = await openBrowser(t)
    const dashboard = await openDashboard(browser, { url: `${baseUrl}/dashboard/start`, tenant })
    const { page } = dashboard
    const button = (name: string) => page.getByRole('button', { name, exact: true })

    await page.getByRole('link', { name: 'Import', exact: true }).click()
    const address = page.getByRole('textbox', { name: 'Address of the page' })
    await address.fill(`${source.url}/elsewhere`)
    await button('Read the page').click()
    await page.getByText('could not be read: status 404').waitFor()
    t.equal(await address.getAttribute('aria-invalid'), 'true', 'the problem is at its field')
    await checkScreen(t, dashboard)

    await address.fill(source.url.replace('http:', 'https:'))
    await button('Read the page').click()
    await page.getByText('could not be read: the certificate of the server is not').waitFor()

    await address.fill(source.url)
    await button('Read the page').click()
    await page.getByRole('heading', { name: 'What will be imported' }).waitFor()
    await page.getByText('page.time_zone is UTC').waitFor()
    t.equal(
      (await tenant.api.call(componentOperations.list, {})).meta.total,
      0,
      'nothing is stored',
    )
    await checkScreen(t, dashboard)
    await button('Import').click()
    await page.getByText('The import is complete.').waitFor()
    t.equal(await page.getByText('1 new, 0 with new updates, 0 unchanged').count(), 2)
    await checkScreen(t, dashboard)

    await page.getByRole('link', { name: 'Continue the set-up' }).click()
    await page.getByText('2 of 5 steps done').waitFor()
    t.match((await tenant.api.call(statusPageOperations.list, {})).data, [
      { name: 'Imported', slug: 'imported', isPublished: false },
    ])
    t.equal((await tenant.api.call(incidentOperations.list, {})).meta.total, 1)

    const file = (name: string, content: string) => ({
      name,
      mimeType: 'application/json',
      buffer: Buffer.from(content),
    })
    await page.goto(`${baseUrl}/dashboard/start/import`)
    const input = page.locator('input[type=file]')
    await input.setInputFiles([file('x.json', '[]')])
    await page.getByText('x.json is not a document of Statuspage.').waitFor()
    await input.setInputFiles([file('a.json', JSON.stringify(documents.summary))])
    await page.getByText('0 new, 0 with new updates, 1 unchanged').waitFor()
  },
)
