/**
 * On-call in the dashboard: a schedule of two members, overrides by the mouse and by the keyboard,
 * and an alert that one browser acknowledges and another one shows.
 */
import {
  incidentOperations,
  type OncallSchedule,
  oncallAlertOperations,
  oncallScheduleOperations,
} from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import type { Browser, Locator, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import { checkScreen, chooseByTyping, dashboardSettings, openDashboard } from '../kit/dashboard.ts'
import { setRole } from '../kit/member-role.ts'
import { addMember, type LoginAccount, register, type Tenant } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const world = await startWorld(t, await dashboardSettings())
const { baseUrl } = world.stack
const HOSTILE_NAME = '<b>Primary</b> & "on-call"'
const HOUR_MS = 3_600_000

interface Stage {
  tenant: Tenant
  browser: Browser
  ben: LoginAccount
}

const stage = async (t: Test, name: string): Promise<Stage> => {
  const tenant = await register(world.api, name)
  const ben = await addMember(world, tenant, { name: 'Ben Berg', role: 'MEMBER' })
  return { tenant, ben, browser: await openBrowser(t) }
}

const addSchedule = ({ tenant, ben }: Stage): Promise<OncallSchedule> =>
  tenant.api.call(oncallScheduleOperations.create, {
    body: {
      name: HOSTILE_NAME,
      timezone: 'Asia/Tokyo',
      layers: [{ name: 'Week', userIds: [tenant.identity.user.id, ben.identity.user.id] }],
    },
  })

const open = (browser: Browser, tenant: LoginAccount, path: string) =>
  openDashboard(browser, { url: `${baseUrl}/dashboard/on-call${path}`, tenant })

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

const choose = (scope: Page | Locator, field: string, option: string) =>
  chooseByTyping(scope.getByRole('combobox', { name: field, exact: true }), option)

const readSchedule = ({ api }: Tenant, id: string) =>
  api.call(oncallScheduleOperations.read, { params: { id } })

t.test(
  'a schedule of two members shows who is on call now and next',
  { skip: browserSkipReason },
  async (t) => {
    const { tenant, browser } = await stage(t, 'on-call-schedule')
    const dashboard = await open(browser, tenant, '')
    const { page } = dashboard
    await page.getByText('There are no on-call schedules yet').waitFor()
    await page.getByRole('link', { name: 'New schedule' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(HOSTILE_NAME)
    await button(page, 'Create the schedule').click()
    await page.getByText('Must have at least 1 entry').first().waitFor()
    const layer = page.getByRole('group', { name: 'Layer 1' })
    await choose(page, 'Add a member', 'Olga Owner')
    await layer.getByText('Olga Owner').waitFor()
    await choose(page, 'Add a member', 'Ben Berg')
    await layer.getByText('Ben Berg').waitFor()
    await button(page, 'Add a daily window').click()
    await checkScreen(t, dashboard)
    await button(page, 'Remove: Window 1').click()
    await button(page, 'Add a step').click()
    await choose(page.getByRole('group', { name: 'Step 2' }), 'Add a member or channel', 'Ben Berg')
    await page.getByRole('checkbox', { name: 'Certificate expires soon' }).check({ force: true })
    await button(page, 'Create the schedule').click()
    await page.getByRole('heading', { name: HOSTILE_NAME, level: 1 }).waitFor()
    await page.getByText('After 15 minutes').waitFor()
    const [schedule] = (await tenant.api.call(oncallScheduleOperations.list)).data
    t.match(schedule, { name: HOSTILE_NAME, events: ['certificate.expiring'] })
    t.match(schedule?.onCallNow, [{ userName: 'Olga Owner' }])
    t.match(schedule?.onCallNext, [{ userName: 'Ben Berg' }])
    await page.getByRole('link', { name: 'Schedules' }).click()
    const row = page.getByRole('listitem').filter({ hasText: HOSTILE_NAME })
    t.match(await row.textContent(), /Now\s*Olga Owner[\s\S]*Next\s*Ben Berg/)
    await checkScreen(t, dashboard)

    await page.getByRole('link', { name: HOSTILE_NAME }).click()
    await button(page, 'Delete').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('There are no on-call schedules yet').waitFor()
  },
)

t.test(
  'overrides are created by the mouse and by the keyboard, changed and deleted',
  { skip: browserSkipReason },
  async (t) => {
    const scenario = await stage(t, 'on-call-override')
    const { tenant, ben, browser } = scenario
    const { id } = await addSchedule(scenario)
    const dashboard = await open(browser, tenant, `/schedules/${id}`)
    const { page } = dashboard
    await page.getByRole('heading', { name: HOSTILE_NAME, level: 1 }).waitFor()
    const lane = page.locator('[data-lane=effective]')
    await lane.getByText('Olga Owner').first().waitFor()
    await checkScreen(t, dashboard)
    await button(page, 'Forward').click()
    await lane.getByText('Ben Berg').first().waitFor()

    await lane.scrollIntoViewIfNeeded()
    const box = await lane.boundingBox()
    if (box === null) throw new Error('The lane is not shown')
    const day = box.width / 14
    await page.mouse.move(box.x + 2 * day, box.y + 10)
    await page.mouse.down()
    await page.mouse.move(box.x + 3 * day, box.y + 12, { steps: 5 })
    await page.mouse.up()
    const dialog = page.getByRole('dialog', { name: 'Add an override' })
    await dialog.waitFor()
    await choose(page, 'Member', 'Ben Berg')
    await checkScreen(t, dashboard)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.locator('[data-lane=overrides]').getByText('Ben Berg').click()
    const edit = page.getByRole('dialog', { name: 'Edit the override' })
    await edit.getByRole('button', { name: 'Cancel' }).click()
    await edit.waitFor({ state: 'detached' })
    const [dragged] = (await readSchedule(tenant, id)).overrides
    t.equal(dragged?.userId, ben.identity.user.id)
    const [start, end] = [Date.parse(dragged?.startsAt ?? ''), Date.parse(dragged?.endsAt ?? '')]
    t.equal(end - start, 24 * HOUR_MS)
    t.equal(new Date(start).getUTCDay(), 3, 'the third day from a Monday')

    await button(page, 'Add an override').focus()
    await page.keyboard.press('Enter')
    await dialog.waitFor()
    await choose(page, 'Member', 'Olga')
    await dialog.getByLabel('Start', { exact: true }).fill('2020-01-01T10:00')
    await dialog.getByLabel('End', { exact: true }).fill('2020-01-01T12:00')
    await page.keyboard.press('Enter')
    await dialog.getByText('Must be in the future').waitFor()
    const inHours = (hours: number) =>
      new Date(Date.now() + hours * HOUR_MS).toISOString().slice(0, 16)
    await dialog.getByLabel('Start', { exact: true }).fill(inHours(-1))
    await dialog.getByLabel('End', { exact: true }).fill(inHours(5))
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    t.match((await readSchedule(tenant, id)).onCallNow, [{ userName: 'Olga Owner', layerId: null }])

    await button(page, 'Edit the override of Olga Owner').click()
    await choose(page, 'Member', 'Ben Berg')
    await edit.getByRole('button', { name: 'Save' }).click()
    await edit.waitFor({ state: 'detached' })
    t.match((await readSchedule(tenant, id)).onCallNow, [{ userName: 'Ben Berg', layerId: null }])
    await button(page, 'Delete the override of Ben Berg').first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    t.equal((await readSchedule(tenant, id)).overrides.length, 1)
  },
)

t.test('two editors of a schedule lose nothing', { skip: browserSkipReason }, async (t) => {
  const scenario = await stage(t, 'on-call-conflict')
  const { tenant, browser } = scenario
  const { id } = await addSchedule(scenario)
  const dashboard = await open(browser, tenant, `/schedules/${id}/settings`)
  const { page } = dashboard
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  const description = page.getByRole('textbox', { name: 'Description' })
  await name.fill('Mine')
  await description.fill('Written here')
  await tenant.api.call(oncallScheduleOperations.update, {
    params: { id },
    body: { name: 'Theirs' },
  })
  await button(page, 'Save').click()
  await page.getByText('Others have changed the same fields').waitFor()
  t.equal(await name.inputValue(), 'Mine')
  await checkScreen(t, dashboard)
  await button(page, 'Use my value').click()
  await button(page, 'Save').click()
  await page.getByRole('heading', { name: 'Mine', level: 1 }).waitFor()
  t.match(await readSchedule(tenant, id), { name: 'Mine', description: 'Written here' })
})

t.test(
  'an alert arrives, and its acknowledgement is shown in the other browser',
  { skip: browserSkipReason },
  async (t) => {
    const scenario = await stage(t, 'on-call-alert')
    const { tenant, ben, browser } = scenario
    await addSchedule(scenario)
    const dashboard = await open(browser, tenant, '/alerts')
    const { page } = dashboard
    const other = await open(browser, ben, '/alerts')
    for (const one of [page, other.page]) {
      await one.getByText('No unacknowledged alerts').waitFor()
    }
    const title = '<i>Checkout</i> fails'
    await tenant.api.call(incidentOperations.create, { body: { title, impact: 'critical' } })
    const link = (one: Page) => one.getByRole('link', { name: title })
    await link(page).waitFor()
    await link(other.page).click()
    await other.page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await other.page.getByText(/^Notified members: .?Olga Owner/).waitFor({ timeout: 90_000 })
    await checkScreen(t, dashboard)
    await button(page, 'Acknowledge').click()
    await page.getByText('No unacknowledged alerts').waitFor()
    await other.page.getByText('Acknowledged').first().waitFor()
    await checkScreen(t, other)
    await page.getByText('Open', { exact: true }).click()
    await link(page).waitFor()
    await button(page, 'Resolve').click()
    await page.getByText('No open alerts').waitFor()
    await other.page.getByText('Resolved', { exact: true }).first().waitFor()
    const [alert] = (await tenant.api.call(oncallAlertOperations.list)).data
    t.match(alert, { status: 'resolved', acknowledgedBy: tenant.identity.user.id })
  },
)

t.test(
  'viewers see no actions, and other tenants no schedule',
  { skip: browserSkipReason },
  async (t) => {
    const scenario = await stage(t, 'on-call-viewer')
    const { tenant, browser } = scenario
    const { id } = await addSchedule(scenario)
    await tenant.api.call(incidentOperations.create, { body: { title: 'Down', impact: 'major' } })
    await eventually(
      async () => (await tenant.api.call(oncallAlertOperations.list)).meta.total > 0,
      { timeoutMs: 30_000 },
    )
    await setRole(world, tenant, 'VIEWER')
    const { page } = await open(browser, tenant, `/schedules/${id}`)
    await page.getByRole('heading', { name: HOSTILE_NAME, level: 1 }).waitFor()
    await page.locator('[data-lane=effective]').waitFor()
    for (const name of ['Delete', 'Add an override', 'Override the shift of Olga Owner']) {
      t.equal(await button(page, name).count(), 0, name)
    }
    t.equal(await page.getByRole('link', { name: 'Edit', exact: true }).count(), 0)
    await page.goto(`${baseUrl}/dashboard/on-call/alerts`)
    await page.getByRole('link', { name: 'Down' }).waitFor()
    t.equal(await button(page, 'Acknowledge').count(), 0)
    const stranger = await register(world.api, 'on-call-stranger')
    const foreign = await open(browser, stranger, `/schedules/${id}`)
    await foreign.page.getByText('Page not found').waitFor()
  },
)
