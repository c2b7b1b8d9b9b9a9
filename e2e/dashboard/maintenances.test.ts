/**
 * Maintenances: planned and moved by keyboard, shown in the calendar and on the public page, started
 * and completed, and edited by two people at the same time.
 */
import {
  componentOperations,
  maintenanceOperations,
  statusPageOperations,
} from '@status-page/contracts'
import { eventually } from '@status-page/testing'
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
const HOSTILE_TITLE = '<img src=x onerror=alert(1)> & "DB"'
const DAY_MS = 86_400_000

interface MaintenanceStage {
  tenant: Tenant
  browser: Browser
  open(path: string): Promise<DashboardPage>
}

const stage = async (t: Test, name: string): Promise<MaintenanceStage> => {
  const tenant = await register(world.api, name)
  const browser = await openBrowser(t)
  const open = (path: string) =>
    openDashboard(browser, { url: `${baseUrl}/dashboard/${path}`, tenant })
  return { tenant, browser, open }
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })
const preview = (page: Page) => page.getByRole('status', { name: 'Preview of the repetition' })

/** Days from tomorrow to `end` in UTC, as `YYYY-MM-DD`. */
const daysUntil = (end: string): string[] => {
  const count = Math.round((Date.parse(end) - Date.parse(utcDay(Date.now()))) / DAY_MS)
  return Array.from({ length: count }, (_none, index) => utcDay(Date.now() + (index + 1) * DAY_MS))
}

const utcDay = (time: number) => new Date(time).toISOString().slice(0, 10)

t.test('a recurring maintenance is planned by keyboard', { skip: browserSkipReason }, async (t) => {
  const { tenant, open } = await stage(t, 'maintenance')
  const component = await tenant.api.call(componentOperations.create, {
    body: { type: 'SERVICE', name: 'Checkout' },
  })
  const slug = `maintenance-${tenant.identity.organization.id.slice(-12)}`
  await tenant.api.call(statusPageOperations.create, {
    body: { name: 'Acme', slug, isPublished: true, timezone: 'Europe/Berlin' },
  })
  const dashboard = await open('maintenances')
  const { page } = dashboard
  await page.getByText('No upcoming maintenances').waitFor()
  await checkScreen(t, dashboard)
  await page.getByRole('link', { name: 'New maintenance' }).press('Enter')
  await page.getByRole('textbox', { name: 'Title' }).fill(HOSTILE_TITLE)
  await page.getByRole('textbox', { name: 'Message' }).fill('Short *interruptions*.')
  await chooseByTyping(page.getByRole('combobox', { name: 'Add a component' }), 'Check')
  await button(page, 'Remove Checkout').waitFor()
  await page.getByRole('button', { name: 'Repetition' }).press('Enter')
  await page.getByRole('option', { name: 'By weeks' }).press('Enter')
  await page.getByRole('textbox', { name: 'Weeks from one to the next' }).fill('2')
  await preview(page)
    .getByText(/^Every second \w+day at 10:00.PM, .?Europe\/Berlin/)
    .waitFor()
  await preview(page).getByRole('listitem').nth(11).waitFor()
  await checkScreen(t, dashboard)
  await page.reload()
  t.equal(await page.getByRole('textbox', { name: 'Title' }).inputValue(), HOSTILE_TITLE)
  await button(page, 'Schedule the maintenance').press('Enter')
  await heading(page, HOSTILE_TITLE).waitFor()
  await page.getByText(/^Every second/).waitFor()
  await checkScreen(t, dashboard)
  const { data } = await tenant.api.call(maintenanceOperations.list, { query: {} })
  t.match(data, [{ title: HOSTILE_TITLE, components: [{ id: component.id }] }])
  t.match(data[0]?.recurrence, { timezone: 'Europe/Berlin', rrule: /^FREQ=WEEKLY;INTERVAL=2/ })

  await page.getByRole('link', { name: 'Maintenances', exact: true }).click()
  await page.getByText('Month', { exact: true }).click()
  await page.keyboard.press('c')
  await page.getByRole('dialog', { name: 'New incident' }).waitFor()
  await page.keyboard.press('Escape')
  await page.locator('td[aria-current="date"]').focus()
  // Tomorrow in Berlin can be the day after tomorrow in the time zone of the browser.
  const startDay = data[0]?.scheduledFor.slice(0, 10) ?? ''
  for (const next of daysUntil(startDay)) {
    await page.keyboard.press('ArrowRight')
    await page.locator(`td[data-day="${next}"]:focus`).waitFor()
  }
  await page.locator('td:focus').getByRole('link', { name: HOSTILE_TITLE }).waitFor()
  await checkScreen(t, dashboard)
  await page.locator('td[tabindex="0"]').press('Enter')
  await page.keyboard.press('Enter')
  await heading(page, HOSTILE_TITLE).waitFor()

  await button(page, 'Start now').press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Message' }).fill('We have begun.')
  await checkScreen(t, dashboard)
  await dialog.getByRole('button', { name: 'Start now' }).click()
  await button(page, 'Complete now').waitFor()
  await page.getByText('Under maintenance').waitFor()
  await eventually(
    async () => {
      const text = await (await page.request.get(`${baseUrl}/status/${slug}`)).text()
      return text.includes('We have begun.') && text.includes('&lt;img src=x')
    },
    { timeoutMs: 60_000 },
  )
  await button(page, 'Complete now').click()
  await dialog.getByRole('button', { name: 'Complete now' }).click()
  // The button that opened it has the same name.
  await dialog.waitFor({ state: 'detached' })
  await button(page, 'Complete now').waitFor({ state: 'detached' })
  const ended = await tenant.api.call(componentOperations.read, {
    params: { id: component.id },
    query: {},
  })
  t.equal(ended.status, 'operational')
})

const scheduled = ({ api }: Tenant, title: string) =>
  api.call(maintenanceOperations.create, {
    body: {
      title,
      scheduledFor: new Date(Date.now() + DAY_MS).toISOString(),
      scheduledUntil: new Date(Date.now() + 2 * DAY_MS).toISOString(),
    },
  })

t.test('two people edit a maintenance and lose nothing', { skip: browserSkipReason }, async (t) => {
  const { tenant, open } = await stage(t, 'maintenance-two')
  const { id } = await scheduled(tenant, 'Upgrade')
  const ana = await open(`maintenances/${id}/edit`)
  const ben = await open(`maintenances/${id}/edit`)
  const title = (page: Page) => page.getByRole('textbox', { name: 'Title' })
  await title(ben.page).fill('Title of Ben')
  await title(ana.page).fill('Title of Ana')
  await button(ana.page, 'Save').click()
  await heading(ana.page, 'Title of Ana').waitFor()
  await ben.page.getByText('Others have changed the same fields').waitFor()
  t.equal(await title(ben.page).inputValue(), 'Title of Ben')
  t.ok(await button(ben.page, 'Save').isDisabled())
  await checkScreen(t, ben)
  await button(ben.page, 'Use my value').click()
  await ben.page.getByLabel('End', { exact: true }).fill('2020-01-01T10:00')
  await button(ben.page, 'Save').click()
  await ben.page.getByText('Must be after “Start”').waitFor()
  await ben.page.getByLabel('End', { exact: true }).fill(endFieldValue())
  await button(ben.page, 'Save').click()
  await heading(ana.page, 'Title of Ben').waitFor()

  const dialog = ana.page.getByRole('dialog')
  await button(ana.page, 'More actions').click()
  await ana.page.getByRole('menuitem', { name: 'Change the end' }).click()
  await dialog.getByLabel('End', { exact: true }).fill('2020-01-01T10:00')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Must be after “Start”').waitFor()
  await dialog.getByRole('button', { name: 'Back to the maintenance' }).click()

  await button(ana.page, 'More actions').click()
  await ana.page.getByRole('menuitem', { name: 'Cancel the maintenance' }).click()
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('The vendor is not ready.')
  await dialog.getByRole('button', { name: 'Cancel the maintenance' }).click()
  await button(ana.page, 'Start now').waitFor({ state: 'detached' })
  await ben.page.getByText('The vendor is not ready.').waitFor()
  const query = { include: ['updates' as const] }
  const read = await tenant.api.call(maintenanceOperations.read, { params: { id }, query })
  t.match(read, { status: 'cancelled', message: 'The vendor is not ready.' })
})

/** Local time of the day after tomorrow, later than any zone moves it. */
const endFieldValue = (): string => new Date(Date.now() + 4 * DAY_MS).toISOString().slice(0, 16)

t.test(
  'readers see no actions, and other tenants no maintenance',
  { skip: browserSkipReason },
  async (t) => {
    const { tenant, open, browser } = await stage(t, 'maintenance-reader')
    const { id } = await scheduled(tenant, 'Upgrade')
    await setRole(world, tenant, 'VIEWER')
    const { page } = await open(`maintenances/${id}`)
    await heading(page, 'Upgrade').waitFor()
    for (const name of ['Start now', 'More actions', 'Post the update']) {
      t.equal(await button(page, name).count(), 0, name)
    }
    await page.goto(`${baseUrl}/dashboard/maintenances/new`)
    await page.getByText('No permission').waitFor()
    const other = await register(world.api, 'maintenance-other')
    const foreign = await openDashboard(browser, {
      url: `${baseUrl}/dashboard/maintenances/${id}`,
      tenant: other,
    })
    await foreign.page.getByText('Page not found').waitFor()
  },
)
