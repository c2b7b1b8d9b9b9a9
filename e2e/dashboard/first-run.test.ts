/** First run: from an empty organization to a published page with checked components and a team. */
import {
  componentOperations,
  invitationOperations,
  statusPageOperations,
} from '@status-page/contracts'
import { eventually, httpTarget } from '@status-page/testing'
import t from 'tap'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import { checkScreen, dashboardSettings, openDashboard } from '../kit/dashboard.ts'
import { register } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const world = await startWorld(t, await dashboardSettings())
const { baseUrl } = world.stack
/** One transparent pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const HOSTILE_NAME = '<img src=x onerror=alert(1)> & "Co"'

t.test('the owner sets up a page without another tool', { skip: browserSkipReason }, async (t) => {
  const tenant = await register(world.api, 'first-run')
  const other = await register(world.api, 'first-run-other')
  await other.api.call(statusPageOperations.create, { body: { name: 'Other', slug: 'taken' } })
  const target = await httpTarget(t, ({ url }) => ({ status: url === '/wrong' ? 500 : 200 }))
  const browser = await openBrowser(t)
  const dashboard = await openDashboard(browser, { url: `${baseUrl}/dashboard/start`, tenant })
  const { page } = dashboard
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  await page.getByRole('heading', { name: 'Set up your status page' }).waitFor()
  t.equal(new URL(page.url()).pathname, '/dashboard/start', 'the login returns to the wanted path')
  await checkScreen(t, dashboard)

  await button('Load sample data').click()
  await button('Remove sample data').waitFor()
  await page.getByRole('link', { name: 'Open Create the page' }).waitFor()
  await checkScreen(t, dashboard)
  const sample = page.getByRole('link', { name: 'Open the page' })
  t.match(await sample.getAttribute('href'), /\/status\/sample-/)
  await button('Remove sample data').click()
  await button('Load sample data').waitFor()

  await page.getByRole('link', { name: 'Open Create the page' }).click()
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  const address = page.getByRole('textbox', { name: 'Address', exact: true })
  await name.fill(HOSTILE_NAME)
  await address.fill('taken')
  await button('Create the page').click()
  await page.getByText('already').waitFor()
  t.equal(await address.getAttribute('aria-invalid'), 'true', 'a duplicate is shown at its field')
  await checkScreen(t, dashboard)
  await address.fill('first-run')
  await page.getByRole('textbox', { name: 'Other colour' }).fill('#0f766e')
  const logoFile = page.locator('input[type=file]').first()
  const image = { name: 'logo.png', mimeType: 'image/png' }
  await logoFile.setInputFiles({ ...image, buffer: Buffer.from('no image') })
  await page.getByText(/image/i).and(page.locator('[slot=errorMessage]')).waitFor()
  await logoFile.setInputFiles({ ...image, buffer: PNG })
  await button('Remove: Logo').waitFor()
  await button('Create the page').click()
  await button('Next step').click()

  await page
    .getByRole('textbox', { name: 'Addresses' })
    .fill(`${target.url}/health\nnot-an-address`)
  await page.getByText('Not an http or https address: not-an-address').waitFor()
  await page.getByRole('textbox', { name: 'Addresses' }).fill(`${target.url}/wrong`)
  await page.getByRole('textbox', { name: 'Name on the page' }).fill('Checkout')
  await button('Test and add').click()
  await page.getByText('Status 500, not as expected').waitFor()
  await button('Change the address: Checkout').click()
  await checkScreen(t, dashboard)
  await page.getByRole('textbox', { name: 'Address', exact: true }).fill(`${target.url}/health`)
  await button('Test again').click()
  await page.getByText(/Status 200 in \d+ ms/).waitFor()
  await checkScreen(t, dashboard)
  await button('Next step').click()

  await button('Publish the page').click()
  await page.getByText('The page is published.').waitFor()
  await checkScreen(t, dashboard)
  await button('Next step').click()
  await button('Send the mail').click()
  await page.getByText('The mail was sent.').waitFor()
  await button('Send a test message').click()
  await page.getByText('The mail server has accepted the message.').waitFor()
  await checkScreen(t, dashboard)
  await button('Skip this step').click()

  await page.getByRole('textbox', { name: 'E-mail address' }).fill('ben@first-run.test')
  await button('Send the invitation').click()
  await page.getByText('Invitation sent').waitFor()
  await checkScreen(t, dashboard)

  // The mail address is not confirmed: the skipped step remains, and another browser shows it, too.
  const again = await openDashboard(browser, { url: `${baseUrl}/dashboard/start`, tenant })
  await again.page.getByText('4 of 5 steps done').waitFor()

  const pages = await tenant.api.call(statusPageOperations.list, {})
  t.match(pages.data, [
    {
      name: HOSTILE_NAME,
      slug: 'first-run',
      isPublished: true,
      theme: { primaryColor: '#0f766e' },
      logoUrl: /\/uploads\//,
    },
  ])
  // The status follows from the event of the check.
  const components = await eventually(
    async () => {
      const { data } = await tenant.api.call(componentOperations.list, {})
      return data[0]?.status === 'operational' && data
    },
    { timeoutMs: 90_000 },
  )
  t.match(components, [{ name: 'Checkout' }])
  const invitations = await tenant.api.call(invitationOperations.list, {})
  t.match(invitations.data, [{ email: 'ben@first-run.test', role: 'MEMBER', status: 'pending' }])
})
