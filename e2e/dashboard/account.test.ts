/** Own account with a second factor and sessions, and the settings and log of the organization. */
import { authOperations, organizationOperations } from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import { generateSync } from 'otplib'
import type { Page } from 'playwright-core'
import t from 'tap'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import {
  checkScreen,
  dashboardSettings,
  logIn,
  openDashboard,
  pauseChanges,
} from '../kit/dashboard.ts'
import { PASSWORD, register } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const world = await startWorld(t, await dashboardSettings())
const { baseUrl } = world.stack
const STEP_SECONDS = 30
const HOSTILE_NAME = '<img src=x onerror=alert(1)> & "Co"'

const buttonsOf = (page: Page) => (name: string) => page.getByRole('button', { name, exact: true })
const fieldsOf = (page: Page) => (name: string) => page.getByRole('textbox', { name, exact: true })

t.test(
  'a user secures the account and logs in with a code',
  { skip: browserSkipReason },
  async (t) => {
    const tenant = await register(world.api, 'account')
    const browser = await openBrowser(t)
    const dashboard = await openDashboard(browser, { url: `${baseUrl}/dashboard/account`, tenant })
    const { page } = dashboard
    const [button, field] = [buttonsOf(page), fieldsOf(page)]
    await page.getByText('Signing in requires the password only.').waitFor()
    await checkScreen(t, dashboard)

    await field('Name').fill(HOSTILE_NAME)
    await button('Save the name').click()
    await page.getByText('The name is saved.').waitFor()

    const other = await world.api.request(authOperations.login, {
      body: { email: tenant.email, password: PASSWORD },
      headers: { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Firefox/140.0' },
    })
    const [cookie = ''] = other.headers.getSetCookie()
    const stolen = world.api.with({ cookie: cookie.split(';', 1)[0] ?? '' })
    await page.reload()
    await page.getByRole('button', { name: /^Sign out: Firefox, Windows/ }).click()
    await page.getByText('Firefox, Windows').waitFor({ state: 'detached' })
    t.equal((await stolen.request(authOperations.me, {})).status, 401, 'the session has ended')

    await button('Set up').click()
    const password = page.getByLabel('Password', { exact: true }).last()
    await password.fill('wrong')
    await button('Continue').click()
    await page.getByText('This value is incorrect').waitFor()
    await checkScreen(t, dashboard)
    await password.fill(PASSWORD)
    await button('Continue').click()
    const image = page.getByRole('img', { name: 'QR code for the authenticator app' })
    await image.waitFor()
    const isLoaded = (shown: unknown) => (shown as { naturalWidth: number }).naturalWidth > 0
    t.ok(await image.evaluate(isLoaded), 'the image loads')
    await checkScreen(t, dashboard)
    const key = page.getByRole('group', { name: 'Key' }).locator('code')
    const secret = ((await key.textContent()) ?? '').trim()
    await field('Code of the app').fill(generateSync({ secret }))
    await button('Enable the second factor').click()
    await page.getByText('Each code replaces the app once.').waitFor()
    const codes = await page.getByRole('dialog').getByRole('listitem').allTextContents()
    t.equal(codes.length, 10)
    await checkScreen(t, dashboard)
    await button('Done').click()
    await page.getByText('10 unused backup codes').waitFor()

    await button('Account and settings').click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL(/sign-in/)
    await logIn(page, tenant)
    // A code is valid once, so the login takes that of the next interval.
    const epoch = Math.floor(Date.now() / 1000) + STEP_SECONDS
    await page.locator('#code').fill(generateSync({ secret, epoch }))
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/(account|dashboard)/)
    await page.goto(`${baseUrl}/dashboard/account`)

    await button('Disable').click()
    await page.getByRole('dialog').getByLabel('Password').fill(PASSWORD)
    await page
      .getByRole('dialog')
      .getByLabel(/^Code of the authenticator app/)
      .fill(codes[0] ?? '')
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await page.getByText('Signing in requires the password only.').waitFor()

    await button('Delete the account').click()
    const dialog = page.getByRole('dialog', { name: 'Delete your account?' })
    const confirm = dialog.getByRole('button', { name: 'Delete the account' })
    await dialog.getByLabel('Password').fill(PASSWORD)
    t.equal(await confirm.isDisabled(), true, 'the address must be typed')
    await dialog.getByLabel(/^Type/).fill(tenant.email)
    await confirm.click()
    await page.waitForURL(/sign-in/)
    t.equal((await tenant.session.request(authOperations.me, {})).status, 401)
  },
)

t.test(
  'the owner changes policies, and the log and the deletion of the organization',
  { skip: browserSkipReason },
  async (t) => {
    const tenant = await register(world.api, 'organization-settings')
    const browser = await openBrowser(t)
    const url = `${baseUrl}/dashboard/organization`
    const dashboard = await openDashboard(browser, { url, tenant })
    const { page } = dashboard
    const [button, field] = [buttonsOf(page), fieldsOf(page)]
    await field('Name').fill('Acme & Co')
    await field('Permitted mail domains of new members').fill('acme.test\nexample')
    await button('Save the settings').click()
    await page.getByText(/^\u2068example\u2069: Must be a domain name/).waitFor()
    await checkScreen(t, dashboard)
    await field('Permitted mail domains of new members').fill('acme.test\nacme.example')
    const release = await pauseChanges(page)
    await button('Save the settings').press('Enter')
    // The disabled button retains the focus.
    const saving = page.getByRole('button', { name: 'Saving …', disabled: true })
    await saving.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await field('Name').fill('Acme')
    await field('Name').press('Enter')
    t.equal(await release(), 1, 'the form is sent once')
    const enabled = page.getByRole('button', { name: 'Save the settings', disabled: false })
    await enabled.waitFor()
    t.equal(await field('Name').inputValue(), 'Acme', 'text entered during the save remains')
    await field('Name').fill('Acme & Co')
    await page.getByText('The settings are saved.').waitFor()
    t.match(await tenant.api.call(organizationOperations.read, {}), {
      name: 'Acme & Co',
      allowedEmailDomains: ['acme.test', 'acme.example'],
    })

    await page.getByRole('link', { name: 'Single sign-on' }).click()
    await field('Domain').fill('not a domain')
    await button('Add the domain').click()
    await page.locator('[slot=errorMessage]').waitFor()
    await field('Domain').fill('acme.invalid')
    await button('Add the domain').click()
    await page.getByText('_status-page.acme.invalid').waitFor()
    await button('Check the record').click()
    await page.getByRole('alert').first().waitFor()
    await checkScreen(t, dashboard)

    await page.goto(`${baseUrl}/dashboard/audit`)
    const entry = page.locator('summary', { hasText: 'organization.update' })
    await eventually(
      async () => {
        await page.reload()
        await page.getByRole('heading', { name: 'Audit log' }).first().waitFor()
        return (await entry.count()) > 0
      },
      { timeoutMs: 60_000 },
    )
    await entry.first().click()
    await page.getByRole('cell', { name: 'Acme & Co' }).waitFor()
    await checkScreen(t, dashboard)
    await field('Action').fill('domain.create')
    await page.waitForURL(/action=domain\.create/)
    await page.locator('summary', { hasText: 'domain.create' }).waitFor()
    await entry.first().waitFor({ state: 'detached' })
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export as CSV' }).click()
    t.equal((await download).suggestedFilename(), 'audit-logs.csv')

    await page.goto(url)
    await button('Delete the organization').click()
    const dialog = page.getByRole('dialog', { name: 'Delete Acme & Co?' })
    await dialog.getByLabel(/^Type/).fill('Acme & Co')
    await dialog.getByLabel('Password').fill(PASSWORD)
    await checkScreen(t, dashboard)
    await dialog.getByRole('button', { name: 'Delete the organization' }).click()
    await page.getByText(/^The organization is deleted/).waitFor()
    await button('Withdraw the deletion').click()
    await page.getByText(/^The organization is deleted/).waitFor({ state: 'detached' })
    t.equal((await tenant.api.call(organizationOperations.read, {})).deletion, null)
  },
)
