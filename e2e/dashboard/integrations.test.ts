/** Integrations: settings, connection test, metric queries with their graph, and alert intake. */
import {
  alertIntakeOperations,
  componentOperations,
  integrationOperations,
} from '@status-page/contracts'
import { httpTarget, localCertificate } from '@status-page/testing'
import t from 'tap'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import { checkScreen, chooseByTyping, dashboardSettings, openDashboard } from '../kit/dashboard.ts'
import { joinOrganization, register } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

/** First poll of a metric query, on a loaded machine. */
const POLLED_WITHIN_MS = 60_000
const TOKEN = 'swordfish-1234567890'

const prometheus = await httpTarget(
  t,
  ({ headers }) => {
    if (headers.authorization !== `Bearer ${TOKEN}`) return { status: 401 }
    const result = [{ metric: {}, value: [Date.now() / 1000, '42'] }]
    return { body: JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }) }
  },
  localCertificate(),
)
const world = await startWorld(t, await dashboardSettings())
const url = `${world.stack.baseUrl}/dashboard/integrations`

t.test(
  'the owner connects Prometheus, reads a graph and sets up alerts',
  { skip: browserSkipReason },
  async (t) => {
    const tenant = await register(world.api, 'integrations')
    await tenant.api.call(componentOperations.create, { body: { type: 'SERVICE', name: 'Queue' } })
    const browser = await openBrowser(t)
    const dashboard = await openDashboard(browser, { url, tenant })
    const { page } = dashboard
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const field = (name: string) => page.getByRole('textbox', { name, exact: true })

    await page.getByText('There are no integrations yet').waitFor()
    await page.getByRole('link', { name: 'New integration' }).click()
    await field('Name').fill('Metrics')
    await field('Address').fill('http://127.0.0.1')
    await field('Bearer token').fill('wrong')
    await button('Save').click()
    await page.locator('[aria-invalid=true]').waitFor()
    await checkScreen(t, dashboard)
    await field('Address').fill(prometheus.url)
    await button('Save').click()
    await button('Test the connection').click()
    await page.getByText('The credentials were refused').waitFor()
    await field('Bearer token').fill(TOKEN)
    await button('Save').click()
    await page.getByText('The changes are saved.').waitFor()
    await button('Test the connection').click()
    await page.getByText('The connection works').waitFor()
    t.equal(await field('Bearer token').inputValue(), '', 'the secret is not shown again')
    await checkScreen(t, dashboard)

    await page.getByRole('link', { name: 'New metric query' }).click()
    await field('Query').waitFor()
    await field('Name').fill('Depth')
    await field('Query').fill('queue_depth')
    await field('Interval in seconds').fill('soon')
    await field('Warning threshold').fill('40')
    await field('Critical threshold').fill('100')
    await button('Save').click()
    await page.locator('[aria-invalid=true]').first().waitFor()
    await page.reload()
    t.equal(await field('Query').inputValue(), 'queue_depth', 'unsent text survives a reload')
    await field('Interval in seconds').fill('10')
    await button('Save').click()
    await page.getByRole('heading', { name: 'Depth', exact: true }).waitFor()
    const graph = page.getByRole('img', { name: /^Values from 42 to 42/ })
    await graph.waitFor({ timeout: POLLED_WITHIN_MS })
    await page.getByText('Warning', { exact: false }).first().waitFor()
    await checkScreen(t, dashboard)

    await page.getByRole('link', { name: 'Metrics', exact: true }).click()
    await button('Set up the alert intake').click()
    await page.getByText('Shown only once.').waitFor()
    await button('Add a route').click()
    await field('Labels').fill('service=queue')
    await chooseByTyping(page.getByRole('combobox', { name: 'Add a component' }), 'Que')
    await button('Save the alert intake').click()
    await page.getByText('The changes are saved.').waitFor()
    await checkScreen(t, dashboard)
    const [integration] = (await tenant.api.call(integrationOperations.list)).data
    const params = { id: integration?.id ?? '' }
    t.match(await tenant.api.call(alertIntakeOperations.read, { params }), {
      routes: [{ matchLabels: { service: 'queue' }, impact: 'minor' }],
    })
    await page.reload()
    await field('Labels').waitFor()
    t.equal(await page.getByText('Shown only once.').count(), 0)

    await button('Delete').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('There are no integrations yet').waitFor()
  },
)

t.test('a viewer reads integrations without actions', { skip: browserSkipReason }, async (t) => {
  const tenant = await register(world.api, 'integrations-viewer')
  const guest = await register(world.api, 'integrations-guest')
  const { id } = await tenant.api.call(integrationOperations.create, {
    body: {
      type: 'prometheus',
      name: '<img src=x onerror=alert(1)>',
      config: { url: prometheus.url, bearerToken: TOKEN },
    },
  })
  const viewer = await joinOrganization(world, tenant, { guest, role: 'VIEWER' })
  const browser = await openBrowser(t)
  const dashboard = await openDashboard(browser, { url, tenant: viewer })
  const { page } = dashboard
  await page.getByRole('link', { name: '<img src=x onerror=alert(1)>' }).waitFor()
  t.equal(await page.getByRole('link', { name: 'New integration' }).count(), 0)
  await checkScreen(t, dashboard)
  await page.goto(`${url}/${id}`)
  await page.getByRole('heading', { name: 'Metric queries' }).waitFor()
  for (const name of ['Test the connection', 'Save', 'Delete', 'Set up the alert intake']) {
    t.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
  }
  await checkScreen(t, dashboard)
})
