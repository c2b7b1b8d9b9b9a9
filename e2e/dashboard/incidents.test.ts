/**
 * Work on an incident: updates, corrections and the postmortem, of two people at the same time and
 * while the service is killed. No text is lost, and no update is posted twice.
 */
import { componentOperations, incidentOperations } from '@status-page/contracts'
import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import {
  checkScreen,
  type DashboardPage,
  dashboardSettings,
  logIn,
  openDashboard,
} from '../kit/dashboard.ts'
import { setRole } from '../kit/member-role.ts'
import { register, type Tenant } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const world = await startWorld(t, await dashboardSettings())
const { baseUrl } = world.stack
const { gateway } = world.stack.processes
const HOSTILE_TITLE = '<img src=x onerror=alert(1)> & "API"'

interface IncidentStage {
  tenant: Tenant
  browser: Browser
  id: string
  open(): Promise<DashboardPage>
  /** Messages of the incident, newest first. */
  messages(): Promise<string[]>
}

const stage = async (t: Test, name: string): Promise<IncidentStage> => {
  const tenant = await register(world.api, name)
  const component = await tenant.api.call(componentOperations.create, {
    body: { type: 'SERVICE', name: 'Checkout' },
  })
  const { id } = await tenant.api.call(incidentOperations.create, {
    body: {
      title: HOSTILE_TITLE,
      message: 'We are *investigating*.',
      componentStatuses: { [component.id]: 'partial_outage' },
    },
  })
  const browser = await openBrowser(t)
  return {
    tenant,
    browser,
    id,
    open: () => openDashboard(browser, { url: `${baseUrl}/dashboard/incidents/${id}`, tenant }),
    async messages() {
      const query = { include: ['updates' as const] }
      const { updates = [] } = await tenant.api.call(incidentOperations.read, {
        params: { id },
        query,
      })
      return updates.map(({ message }) => message)
    },
  }
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const message = (page: Page) => page.getByRole('textbox', { name: 'Message' })
const heading = (page: Page) => page.getByRole('heading', { name: HOSTILE_TITLE, level: 1 })
const choose = async (page: Page, field: string, option: string) => {
  await page.getByRole('button', { name: field }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

t.test(
  'an incident is resolved, corrected and analysed',
  { skip: browserSkipReason },
  async (t) => {
    const { tenant, browser, id, messages } = await stage(t, 'incident')
    const dashboard = await openDashboard(browser, { url: `${baseUrl}/dashboard`, tenant })
    const { page } = dashboard
    await page.getByRole('link', { name: 'Incidents', exact: true }).click()
    await page.getByRole('searchbox', { name: 'Search in titles' }).fill('img src')
    await page.getByRole('link', { name: HOSTILE_TITLE }).waitFor()
    await page.waitForURL(/search=img/)
    await checkScreen(t, dashboard)
    await page.getByRole('searchbox', { name: 'Search in titles' }).fill('absent')
    await page.getByText('No incident matches').waitFor()
    const { width = 0, height = 0 } = page.viewportSize() ?? {}
    await page.setViewportSize({ width: 390, height })
    await button(page, 'Reset the filters').waitFor({ state: 'hidden' })
    await button(page, 'Filters: 1').click()
    await button(page, 'Reset the filters').click()
    await page.setViewportSize({ width, height })
    await page.getByRole('link', { name: HOSTILE_TITLE }).click()
    await heading(page).waitFor()
    await checkScreen(t, dashboard)

    await button(page, 'Resolve').click()
    await message(page).fill('- بند')
    const list = page.getByRole('region', { name: 'Preview' }).getByRole('list')
    const direction = await list.evaluate((element) => getComputedStyle(element).direction)
    t.equal(direction, 'rtl', 'the marks of a list are at the side of its text')
    await message(page).fill('The **limit** was raised.')
    await choose(page, 'Checkout', 'Operational')
    await button(page, 'Resolve the incident').click()
    await button(page, 'Reopen').waitFor()
    t.same(await messages(), ['The **limit** was raised.', 'We are *investigating*.'])

    await button(page, 'Edit the update').first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Message' }).fill('The limit was raised to 200.')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('The limit was raised to 200.').waitFor()

    await button(page, 'Edit the incident').click()
    await dialog.getByLabel('Start', { exact: true }).fill('2026-01-01T10:00')
    await dialog.getByLabel('End', { exact: true }).fill('2020-01-01T10:00')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Must be after “Start”').waitFor()
    await checkScreen(t, dashboard)
    await dialog.getByLabel('End', { exact: true }).fill('2026-01-01T11:00')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const incident = await tenant.api.call(incidentOperations.read, { params: { id }, query: {} })
    t.equal(Date.parse(incident.resolvedAt ?? '') - Date.parse(incident.startedAt), 3_600_000)

    await page.getByRole('link', { name: 'Write the postmortem' }).click()
    await page.getByRole('textbox', { name: 'Summary' }).fill('A limit was too low.')
    await button(page, 'Add an event').press('Enter')
    await button(page, 'Remove: Event 1').press('Enter')
    await button(page, 'Add an event').and(page.locator(':focus')).waitFor()
    await button(page, 'Add an action item').press('Enter')
    await page.keyboard.type('Alert on the limit')
    await checkScreen(t, dashboard)
    await page.reload()
    t.equal(await page.getByRole('textbox', { name: 'Task' }).inputValue(), 'Alert on the limit')
    await button(page, 'Publish').click()
    await button(page, 'Unpublish').waitFor()
    const query = { include: ['postmortem' as const] }
    const read = await tenant.api.call(incidentOperations.read, { params: { id }, query })
    t.match(read.postmortem, { isPublished: true, actionItems: [{ title: 'Alert on the limit' }] })
  },
)

t.test('two people edit an incident and lose nothing', { skip: browserSkipReason }, async (t) => {
  const { open, messages } = await stage(t, 'incident-two')
  const ana = await open()
  const ben = await open()
  await heading(ana.page).waitFor()
  await message(ben.page).fill('Text of Ben')
  await message(ana.page).fill('Text of Ana')
  await button(ana.page, 'Post the update').click()
  await ben.page.getByText('The incident was changed while you were writing').waitFor()
  t.ok(await ben.page.getByRole('blockquote').getByText('Text of Ana').isVisible())
  t.equal(await message(ben.page).inputValue(), 'Text of Ben')
  t.ok(await button(ben.page, 'Post the update').isDisabled())
  await checkScreen(t, ben)
  await button(ben.page, 'Continue with my text').click()
  await button(ben.page, 'Post the update').click()
  await ana.page.getByText('Text of Ben').waitFor()
  t.same(await messages(), ['Text of Ben', 'Text of Ana', 'We are *investigating*.'])

  for (const { page } of [ana, ben]) await button(page, 'Edit the incident').click()
  const title = (page: Page) => page.getByRole('textbox', { name: 'Title' })
  await title(ben.page).fill('Title of Ben')
  await title(ana.page).fill('Title of Ana')
  await button(ana.page, 'Save').click()
  await ben.page.getByText('Others have changed the same fields').waitFor()
  await ben.page.getByText('Title of Ana').first().waitFor()
  t.equal(await title(ben.page).inputValue(), 'Title of Ben')
  t.ok(await button(ben.page, 'Save').isDisabled())
  await checkScreen(t, ben)
  await button(ben.page, 'Use my value').click()
  await button(ben.page, 'Save').click()
  await ana.page.getByRole('heading', { name: 'Title of Ben' }).waitFor()

  for (const { page } of [ana, ben]) await button(page, 'Edit the update').first().click()
  const dialog = (page: Page) => page.getByRole('dialog')
  const correction = (page: Page) => dialog(page).getByRole('textbox', { name: 'Message' })
  await correction(ben.page).fill('Correction of Ben')
  await correction(ana.page).fill('Correction of Ana')
  await button(ana.page, 'Save').click()
  await dialog(ana.page).waitFor({ state: 'detached' })
  await button(ben.page, 'Save').click()
  await button(ben.page, 'Use my value').click()
  await button(ben.page, 'Use my value').waitFor({ state: 'detached' })
  t.equal(await dialog(ben.page).getByRole('alert').count(), 0, 'the resolved conflict is no error')
  await button(ana.page, 'Delete the update').first().click()
  await dialog(ana.page).getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog(ana.page).waitFor({ state: 'detached' })
  await button(ben.page, 'Save').click()
  await dialog(ben.page).getByText('The entry does not exist any more').waitFor()
  t.equal(await correction(ben.page).inputValue(), 'Correction of Ben', 'the text is not lost')
})

t.test(
  'text survives a killed gateway and a logout, and is posted once',
  { skip: browserSkipReason },
  async (t) => {
    const { tenant, open, messages, id } = await stage(t, 'incident-killed')
    const { page } = await open()
    await heading(page).waitFor()
    await message(page).fill('Written before the logout')
    await page.request.post(`${baseUrl}/api/v1/auth/logout`, { headers: { origin: baseUrl } })
    await page.goto(`${baseUrl}/dashboard/incidents/${id}`)
    await logIn(page, tenant)
    await heading(page).waitFor()
    t.equal(await message(page).inputValue(), 'Written before the logout')
    await gateway.kill('SIGKILL')
    await message(page).fill('Written while the gateway is down')
    await button(page, 'Post the update').click()
    await page.getByText('Not posted yet: the service does not respond.').waitFor()
    await gateway.restart()
    await gateway.waitReady()
    await button(page, 'Edit the update').nth(1).waitFor()
    t.equal(await message(page).inputValue(), '')
    t.same(await messages(), ['Written while the gateway is down', 'We are *investigating*.'])
  },
)

t.test(
  'readers see no actions, and other tenants no incident',
  { skip: browserSkipReason },
  async (t) => {
    const { tenant, id, open, browser } = await stage(t, 'incident-reader')
    await setRole(world, tenant, 'VIEWER')
    const { page } = await open()
    await heading(page).waitFor()
    for (const name of ['Resolve', 'Edit the incident', 'Edit the update', 'Post the update']) {
      t.equal(await button(page, name).count(), 0, name)
    }
    const other = await register(world.api, 'incident-other')
    const foreign = await openDashboard(browser, {
      url: `${baseUrl}/dashboard/incidents/${id}`,
      tenant: other,
    })
    await foreign.page.getByText('Page not found').waitFor()
  },
)
