/** Heartbeats: a job monitored by its pings, from the form to the output of a failed run. */
import { componentOperations } from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import t from 'tap'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import { checkScreen, dashboardSettings, nextFrame, openDashboard } from '../kit/dashboard.ts'
import { joinOrganization, register } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const world = await startWorld(t, await dashboardSettings())
const { baseUrl } = world.stack

const ping = (url: string, body?: string) =>
  fetch(url, { method: 'POST', ...(body === undefined ? {} : { body }) })

t.test('the owner monitors a job by its pings', { skip: browserSkipReason }, async (t) => {
  const [tenant, guest] = [
    await register(world.api, 'heartbeat-owner'),
    await register(world.api, 'heartbeat-guest'),
  ]
  const member = await joinOrganization(world, tenant, { guest, role: 'VIEWER' })
  const browser = await openBrowser(t)
  const url = `${baseUrl}/dashboard/components/new`
  const dashboard = await openDashboard(browser, { url, tenant })
  const { page } = dashboard
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const field = (name: string) => page.getByRole('textbox', { name, exact: true })
  const radio = (name: string) => page.getByRole('radio', { name, exact: true })
  const choose = async (name: string) => {
    await radio(name).focus()
    await page.keyboard.press('Space')
  }
  const pingUrl = async () =>
    page.getByRole('group', { name: 'Ping URL' }).locator('code').textContent()

  await radio('Pings of a job (heartbeat)').waitFor()
  await choose('Pings of a job (heartbeat)')
  t.equal(await field('Address').count(), 0)
  await field('Name').fill('Nightly backup')
  await field('Time between pings in seconds').fill('5')
  await button('Create the component').click()
  const period = field('Time between pings in seconds')
  await eventually(async () => (await period.getAttribute('aria-invalid')) === 'true')
  await choose('By cron expression')
  await field('Cron expression').fill('30 2 * * 9')
  const zone = page.getByRole('combobox', { name: 'Time zone' })
  const berlin = page.getByRole('option', { name: 'Europe/Berlin' })
  await eventually(async () => {
    await zone.fill('')
    await zone.fill('Europe/Ber')
    await nextFrame(page)
    // A scroll that the focus or the end of a layout causes closes the list.
    return berlin.isVisible()
  })
  await page.evaluate("dispatchEvent(new Event('scroll'))")
  await berlin.waitFor({ state: 'detached' })
  t.equal(await zone.inputValue(), 'Europe/Ber', 'a scroll of the page leaves the entered text')
  await zone.press('l')
  await berlin.click()
  await zone.fill('')
  await zone.press('Tab')
  t.equal(await zone.inputValue(), 'Europe/Berlin', 'a cleared field shows its value again')
  await field('Maximum run time in seconds').fill('3600')
  await button('Create the component').click()
  const cron = field('Cron expression')
  await eventually(async () => (await cron.getAttribute('aria-invalid')) === 'true')
  await checkScreen(t, dashboard)
  await cron.fill('30 2 * * *')
  await button('Create the component').click()

  await page.getByRole('dialog', { name: 'Ping URL' }).waitFor()
  await checkScreen(t, dashboard)
  const first = (await pingUrl()) ?? ''
  await page.getByText(`${first}/$?`).waitFor()
  await button('Done').click()
  await page.getByText('Last ping: No ping yet').waitFor()
  t.notMatch(await page.content(), first)
  const { data } = await tenant.api.call(componentOperations.list, { query: {} })
  t.match(data, [
    { kind: 'heartbeat', schedule: { cron: '30 2 * * *', timezone: 'Europe/Berlin' } },
  ])

  t.equal((await ping(`${first}/start?run=night`)).status, 200)
  t.equal((await ping(`${first}/3?run=night`, 'disk full')).status, 200)
  await page.reload()
  const failure = page.getByRole('row', { name: /Failure \(exit code 3\)/ })
  await failure.getByText('Show the output').click()
  await failure.getByText('disk full').waitFor()
  await checkScreen(t, dashboard)

  await button('Replace the ping URL').click()
  const question = page.getByRole('dialog', { name: 'Replace the ping URL?' })
  await question.waitFor()
  await checkScreen(t, dashboard)
  await question.getByRole('button', { name: 'Replace the ping URL' }).click()
  await page.getByRole('dialog', { name: 'Ping URL' }).waitFor()
  const second = (await pingUrl()) ?? ''
  t.equal((await ping(first)).status, 401)
  t.equal((await ping(second)).status, 200)
  await button('Done').click()

  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await choose('At a regular interval')
  await period.fill('86400')
  await button('Save changes').click()
  await page.getByText('The changes were saved.').waitFor()
  t.match((await tenant.api.call(componentOperations.list, { query: {} })).data, [
    { schedule: null, periodSeconds: 86_400, maxRunSeconds: 3_600 },
  ])

  const id = data[0]?.id
  const viewer = await openDashboard(browser, {
    url: `${baseUrl}/dashboard/components/${id}`,
    tenant: member,
  })
  await viewer.page.getByRole('row', { name: /Failure \(exit code 3\)/ }).waitFor()
  t.equal(await viewer.page.getByRole('button', { name: /ping URL/ }).count(), 0)
  await viewer.page.goto(`${baseUrl}/dashboard/components/${id}/settings`)
  await viewer.page.getByRole('textbox', { name: 'Name' }).waitFor()
  t.ok(await viewer.page.getByRole('radio', { name: 'By cron expression' }).isDisabled())
  await checkScreen(t, viewer)
})
