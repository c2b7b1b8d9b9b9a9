/**
 * Notification channels: a webhook and a Slack channel are created with a preview and a test, they
 * receive an incident, and a delivery that an endpoint refused is sent again.
 */
import { incidentOperations, notificationChannelOperations } from '@status-page/contracts'
import { httpTarget } from '@status-page/testing'
import type { Page } from 'playwright-core'
import t from 'tap'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import { checkScreen, dashboardSettings, openDashboard } from '../kit/dashboard.ts'
import { setRole } from '../kit/member-role.ts'
import { register, type Tenant } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const world = await startWorld(t, await dashboardSettings())
const { baseUrl } = world.stack
const SENT_WITHIN_MS = 60_000
const CHAT = '<b>Ops</b> & "Co"'
const SECRET_PATH = '/services/T/B/sealed'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const textbox = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
const publish = ({ api }: Tenant, title: string) =>
  api.call(incidentOperations.create, { body: { title, message: 'We are investigating.' } })

t.test(
  'channels are set up, deliver an incident, and send again',
  { skip: browserSkipReason },
  async (t) => {
    const tenant = await register(world.api, 'dashboard-channels')
    const chat = await httpTarget(t, { body: 'ok' })
    const program = await httpTarget(t, { status: 204 })
    const browser = await openBrowser(t)
    const url = `${baseUrl}/dashboard/channels`
    const dashboard = await openDashboard(browser, { url, tenant })
    const { page } = dashboard
    await page.getByText('No channels yet').waitFor()
    await checkScreen(t, dashboard)

    await page.getByRole('link', { name: 'Add a channel' }).click()
    await textbox(page, 'Name').fill(CHAT)
    await textbox(page, 'Webhook URL').fill('ftp://example.com')
    await textbox(page, 'Message template').fill('{{title}}: {{unknown}}')
    await page.getByText('Unknown placeholders').waitFor()
    await button(page, 'Create the channel').click()
    await page.locator('[aria-invalid=true]').first().waitFor()
    await checkScreen(t, dashboard)
    await textbox(page, 'Webhook URL').fill(`${chat.url}${SECRET_PATH}`)
    await textbox(page, 'Message template').fill('{{title}} for {{components}}')
    await button(page, 'Create the channel').click()
    await page.getByRole('heading', { name: CHAT, level: 1 }).waitFor()
    await page.getByText('Stored. It is never shown.').waitFor()
    t.notOk((await page.content()).includes(SECRET_PATH), 'the secret is not in the page')
    await button(page, 'Send a test message').click()
    await page.getByText(/^Delivered in/).waitFor()
    t.equal(chat.requests.length, 1)
    await checkScreen(t, dashboard)
    await textbox(page, 'Name').fill('Ops')
    await button(page, 'Save changes').click()
    await page.getByText('The changes were saved.').waitFor()

    await page.getByRole('link', { name: 'All channels' }).click()
    await page.getByRole('link', { name: 'Add a channel' }).click()
    await page.getByText('JSON to a program of yours').click()
    await textbox(page, 'Name').fill('Tickets')
    await textbox(page, 'URL').fill(`${program.url}/tickets`)
    await button(page, 'Add a header').click()
    await textbox(page, 'Name of header 1').fill('X-Key')
    await textbox(page, 'Value of header 1').fill('sealed-value')
    await button(page, 'Create the channel').click()
    await page.getByRole('heading', { name: 'Tickets', level: 1 }).waitFor()

    const { id } = await publish(tenant, 'Checkout fails')
    await page.goto(`${baseUrl}/dashboard/incidents/${id}`)
    await page.getByRole('link', { name: 'Show deliveries' }).click()
    const row = (name: string) => page.getByRole('listitem').filter({ hasText: `→ ${name}` })
    for (const name of ['Ops', 'Tickets']) {
      await row(name).getByText('Delivered', { exact: true }).waitFor({ timeout: SENT_WITHIN_MS })
    }
    t.match(chat.requests.at(-1)?.body, /Checkout fails for/)
    t.equal(program.requests[0]?.headers['x-key'], 'sealed-value')
    await checkScreen(t, dashboard)

    program.respond({ status: 410 })
    await publish(tenant, 'Search fails')
    await page.getByRole('link', { name: 'Deliveries', exact: true }).click()
    const refused = row('Tickets').filter({ hasText: 'Cancelled: the channel is disabled' })
    await refused.waitFor({ timeout: SENT_WITHIN_MS })
    program.respond({ status: 204 })
    await page.getByRole('link', { name: 'Channels', exact: true }).click()
    await page.getByText('Stopped: the endpoint no longer exists').waitFor()
    await page.getByRole('link', { name: 'Tickets' }).click()
    await button(page, 'Enable').click()
    await button(page, 'Disable').waitFor()
    await page.getByRole('link', { name: 'Show deliveries' }).click()
    await refused.getByRole('checkbox').check({ force: true })
    await page.getByText('1 selected').waitFor()
    await checkScreen(t, dashboard)
    await button(page, 'Send 1 again').click()
    await page.getByText('1 delivery is queued again.').waitFor()
    await refused.waitFor({ state: 'detached', timeout: SENT_WITHIN_MS })
    await page.getByRole('link', { name: 'Incident created → Tickets' }).first().click()
    await page.getByRole('heading', { name: 'Attempts 2' }).waitFor({ timeout: SENT_WITHIN_MS })
    await page.getByText('Status 410').waitFor()
    await checkScreen(t, dashboard)
  },
)

t.test('viewers see channels and no actions', { skip: browserSkipReason }, async (t) => {
  const tenant = await register(world.api, 'channel-viewer')
  const { id } = await tenant.api.call(notificationChannelOperations.create, {
    body: { name: 'Tickets', type: 'webhook', config: { url: 'https://example.com/hook' } },
  })
  await setRole(world, tenant, 'VIEWER')
  const browser = await openBrowser(t)
  const url = `${baseUrl}/dashboard/channels`
  const { page } = await openDashboard(browser, { url, tenant })
  await page.getByRole('link', { name: 'Tickets' }).waitFor()
  t.equal(await page.getByRole('link', { name: 'Add a channel' }).count(), 0)
  await page.getByRole('link', { name: 'Tickets' }).click()
  await page.getByRole('heading', { name: 'Tickets', level: 1 }).waitFor()
  for (const name of ['Save changes', 'Disable', 'Delete', 'Send a test message']) {
    t.equal(await button(page, name).count(), 0, name)
  }
  await page.getByRole('link', { name: 'Show deliveries' }).click()
  await page.getByText('No delivery matches').waitFor()
  t.equal(await button(page, 'Send all failed ones again').count(), 0)

  const other = await register(world.api, 'channel-other')
  const foreign = await openDashboard(browser, {
    url: `${baseUrl}/dashboard/channels/${id}`,
    tenant: other,
  })
  await foreign.page.getByText('Page not found').waitFor()
})
