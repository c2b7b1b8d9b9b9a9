/** Service levels: created, shown with their error budget, changed by two people, and reported. */
import { componentOperations, incidentOperations, slaOperations } from '@status-page/contracts'
import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import {
  checkScreen,
  chooseByTyping,
  type DashboardPage,
  dashboardSettings,
  openDashboard,
} from '../kit/dashboard.ts'
import { setRole } from '../kit/member-role.ts'
import { register, type Tenant } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const world = await startWorld(t, await dashboardSettings())
const { baseUrl } = world.stack
const HOUR_MS = 3_600_000

interface ServiceLevelStage {
  tenant: Tenant
  browser: Browser
  componentId: string
  open(path: string): Promise<DashboardPage>
}

/** Organization whose component was out of order for an hour. */
const stage = async (t: Test, name: string): Promise<ServiceLevelStage> => {
  const tenant = await register(world.api, name)
  const { id: componentId } = await tenant.api.call(componentOperations.create, {
    body: { type: 'SERVICE', name: 'Checkout' },
  })
  await tenant.api.call(incidentOperations.create, {
    body: {
      title: 'Checkout is down',
      impact: 'critical',
      status: 'resolved',
      componentStatuses: { [componentId]: 'major_outage' },
      startedAt: new Date(Date.now() - 2 * HOUR_MS).toISOString(),
      resolvedAt: new Date(Date.now() - HOUR_MS).toISOString(),
    },
  })
  const browser = await openBrowser(t)
  const open = (path: string) =>
    openDashboard(browser, { url: `${baseUrl}/dashboard/${path}`, tenant })
  return { tenant, browser, componentId, open }
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const nameField = (page: Page) => page.getByRole('textbox', { name: 'Name', exact: true })

t.test('a service level is created and reported', { skip: browserSkipReason }, async (t) => {
  const { tenant, open } = await stage(t, 'service-level')
  const dashboard = await open('service-levels')
  const { page } = dashboard
  await page.getByText('No service levels yet').waitFor()
  await page.getByRole('link', { name: 'New service level' }).press('Enter')
  await nameField(page).fill('<b>Checkout</b> 99.9')
  await button(page, 'Create the service level').click()
  await page.getByText('Must have at least 1 entry').waitFor()
  await chooseByTyping(page.getByRole('combobox', { name: 'Add a component' }), 'Check')
  await page.getByRole('textbox', { name: 'Resolution target (minutes)' }).fill('30')
  await checkScreen(t, dashboard)
  await button(page, 'Create the service level').press('Enter')
  await heading(page, '<b>Checkout</b> 99.9').waitFor()
  await page.getByRole('link', { name: 'Checkout is down' }).waitFor()
  await page.getByText(/\(late\)/).waitFor()
  await checkScreen(t, dashboard)
  const csv = await page.getByRole('link', { name: 'CSV' }).getAttribute('href')
  const file = await page.request.get(`${baseUrl}${csv}`)
  t.match(file.headers()['content-type'], /^text\/csv/)
  const { data } = await tenant.api.call(slaOperations.list, { query: {} })
  t.match(data, [{ resolutionTargetMinutes: 30, targetPercentage: 99.9 }])
  await page.getByRole('link', { name: 'Service levels', exact: true }).click()
  await page
    .getByText(/error budget/i)
    .last()
    .waitFor()
  await checkScreen(t, dashboard)
})

t.test(
  'two people edit a service level and lose nothing',
  { skip: browserSkipReason },
  async (t) => {
    const { tenant, open, componentId, browser } = await stage(t, 'service-level-two')
    const { id } = await tenant.api.call(slaOperations.create, {
      body: { name: 'API', componentIds: [componentId], targetPercentage: 99 },
    })
    const ana = await open(`service-levels/${id}/edit`)
    const ben = await open(`service-levels/${id}/edit`)
    await nameField(ana.page).fill('Name of Ana')
    await nameField(ben.page).fill('Name of Ben')
    await button(ana.page, 'Save').click()
    await heading(ana.page, 'Name of Ana').waitFor()
    // Not a click, which would wait: the conflict disables the button if it is shown already.
    await nameField(ben.page).press('Enter')
    await ben.page.getByText('Others have changed the same fields').waitFor()
    t.equal(await nameField(ben.page).inputValue(), 'Name of Ben')
    await button(ben.page, 'Use my value').click()
    await button(ben.page, 'Save').click()
    await heading(ben.page, 'Name of Ben').waitFor()

    await setRole(world, tenant, 'VIEWER')
    const reader = await open(`service-levels/${id}`)
    await heading(reader.page, 'Name of Ben').waitFor()
    t.equal(await button(reader.page, 'Delete').count(), 0)
    t.equal(await reader.page.getByRole('link', { name: 'Edit', exact: true }).count(), 0)
    const other = await register(world.api, 'service-level-other')
    const foreign = await openDashboard(browser, {
      url: `${baseUrl}/dashboard/service-levels/${id}`,
      tenant: other,
    })
    await foreign.page.getByText('Page not found').waitFor()
  },
)
