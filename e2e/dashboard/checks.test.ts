/** Checks: an endpoint with a condition, tested at once, and edits of its settings. */
import { componentOperations, REDACTED } from '@status-page/contracts'
import { eventually, httpTarget } from '@status-page/testing'
import t from 'tap'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import { checkScreen, dashboardSettings, openDashboard, pauseChanges } from '../kit/dashboard.ts'
import { register } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const world = await startWorld(t, await dashboardSettings())
const { baseUrl } = world.stack

t.test('the owner adds a checked endpoint and tests it', { skip: browserSkipReason }, async (t) => {
  const tenant = await register(world.api, 'checks')
  const target = await httpTarget(t, { status: 503, body: '{"status":"down"}' })
  const browser = await openBrowser(t)
  const url = `${baseUrl}/dashboard/components/new`
  const dashboard = await openDashboard(browser, { url, tenant })
  const { page } = dashboard
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const field = (name: string) => page.getByRole('textbox', { name, exact: true })

  await page.getByRole('radio', { name: /Endpoint/ }).waitFor()
  await checkScreen(t, dashboard)
  await field('Name').fill('Checkout')
  await field('Address').fill(`${target.url}/health`)
  await button('Add a header').click()
  await field('Name of header 1').fill('X-Api-Key')
  await field('Value of header 1').fill('a-secret')
  await button('Add a condition').click()
  await field('Expected value of condition 1').fill('2000')
  await button('Create the component').click()
  await page.getByText('from 100 to 599').waitFor()
  await checkScreen(t, dashboard)
  await field('Expected value of condition 1').fill('200')
  await button('Create the component').click()
  await page.getByRole('heading', { name: 'Checkout' }).waitFor()

  await button('Test now').click()
  await page.getByText(/The check failed: status code 503, \d+ ms/).waitFor()
  await page.getByText('actual: 503').waitFor()
  t.equal(target.requests.at(-1)?.headers['x-api-key'], 'a-secret')
  await checkScreen(t, dashboard)
  target.respond({ status: 200 })
  await button('Test now').click()
  await page.getByText(/The check succeeded: status code 200/).waitFor()
  // The history of statuses names the source too, once it has a period.
  await page.getByText('from checks').first().waitFor()
  t.equal(await page.getByText('set manually').count(), 0)
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  const topOf = async (name: string) => (await button(name).boundingBox())?.y
  await button('Test now').click()
  await page.getByText(/The check succeeded: status code 200/).waitFor()
  t.equal(await topOf('Test now'), await topOf('Save changes'), 'the test is next to the save')
  await field('Description').fill('Not saved')
  t.ok(await button('Test now').isDisabled(), 'a test of unsaved changes is not offered')
  await button('Discard changes').click()
  t.equal(await field('Value of header 1').inputValue(), '', 'the secret is not in the page')
  t.notMatch(await page.content(), /a-secret/)

  await page.goto(`${baseUrl}/dashboard/components/01a00000-0000-7000-8000-000000000000`)
  await page.getByText('Page not found').waitFor()
  await checkScreen(t, dashboard)
})

t.test('an edit survives errors and conflicts', { skip: browserSkipReason }, async (t) => {
  const tenant = await register(world.api, 'check-edits')
  const target = await httpTarget(t, { status: 200 })
  const { id } = await tenant.api.call(componentOperations.create, {
    body: {
      type: 'ENDPOINT',
      name: 'API',
      url: `${target.url}/`,
      headers: { 'X-Api-Key': 'a-secret' },
    },
  })
  const params = { id }
  const stored = () => tenant.api.call(componentOperations.read, { params })
  const browser = await openBrowser(t)
  const url = `${baseUrl}/dashboard/components/${id}/settings`
  const dashboard = await openDashboard(browser, { url, tenant })
  const { page } = dashboard
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const field = (name: string) => page.getByRole('textbox', { name, exact: true })

  await field('Interval in seconds').fill('5')
  await field('Description').fill('Public API')
  await button('Save changes').click()
  await page.getByText('10').first().waitFor()
  await eventually(
    async () => (await field('Interval in seconds').getAttribute('aria-invalid')) === 'true',
  )
  await checkScreen(t, dashboard)
  await field('Interval in seconds').fill('30')

  await tenant.api.call(componentOperations.update, {
    params,
    body: { description: 'Theirs', isMuted: true },
  })
  await button('Save changes').click()
  await page.getByText('Changed in the meantime').waitFor()
  t.match(await page.getByRole('row', { name: /Description/ }).textContent(), /Public API.*Theirs/)
  await checkScreen(t, dashboard)
  await button('Save your values').click()
  await page.getByText('The changes were saved.').waitFor()
  t.match(await stored(), {
    description: 'Public API',
    checkInterval: 30,
    isMuted: true,
    headers: { 'X-Api-Key': REDACTED },
  })

  await tenant.api.call(componentOperations.update, { params, body: { isMuted: false } })
  const release = await pauseChanges(page)
  await field('Name').fill('Public API')
  await button('Save changes').click()
  await field('Description').fill('Entered during the save')
  await release()
  await eventually(async () => (await stored()).name === 'Public API')
  t.equal((await stored()).isMuted, false, 'changes of other settings are merged')
  await button('Save changes').click()
  await page.getByText('The changes were saved.').waitFor()
  t.equal((await stored()).description, 'Entered during the save')

  await field('Name').fill('Not saved')
  await page.getByRole('link', { name: 'All components' }).click()
  await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
  await button('Stay').click()
  t.equal(await field('Name').inputValue(), 'Not saved')
  await page.getByRole('link', { name: 'All components' }).click()
  await button('Leave').click()
  await page.getByRole('row', { name: /^Public API/ }).waitFor()
})
