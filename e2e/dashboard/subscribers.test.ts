/** Subscribers: import with a row that is refused, edits, rotation of a secret, and erasure. */
import { readFile } from 'node:fs/promises'
import { componentOperations, subscriberOperations } from '@status-page/contracts'
import type { Page } from 'playwright-core'
import t from 'tap'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import { checkScreen, dashboardSettings, openDashboard } from '../kit/dashboard.ts'
import { setRole } from '../kit/member-role.ts'
import { register, type Tenant } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const world = await startWorld(t, await dashboardSettings())
const { baseUrl } = world.stack
const HOSTILE_NAME = '<img src=x onerror=alert(1)> & "Co"'
const WEBHOOK = 'https://example.com/hook'

const CSV = [
  'type,email,phone',
  'email,ana@example.com,',
  'email,not an address,',
  'sms,,+4930901820',
].join('\r\n')

const chooseMore = async (page: Page, name: string) => {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name }).click()
}

const listed = async ({ api }: Tenant, query: object = {}) =>
  (await api.call(subscriberOperations.list, { query })).data

t.test('a file is imported once its rows were shown', { skip: browserSkipReason }, async (t) => {
  const tenant = await register(world.api, 'subscriber-import')
  const browser = await openBrowser(t)
  const url = `${baseUrl}/dashboard/subscribers`
  const dashboard = await openDashboard(browser, { url, tenant })
  const { page } = dashboard
  await page.getByText('No subscribers yet').waitFor()
  await checkScreen(t, dashboard)

  await chooseMore(page, 'Import from CSV')
  const input = page.locator('input[type=file]')
  const file = { name: 'people.csv', mimeType: 'text/csv' }
  await input.setInputFiles({ ...file, buffer: Buffer.from('name\nAna\n') })
  await page.getByText(/header/).waitFor()
  await input.setInputFiles({ ...file, buffer: Buffer.from(CSV) })
  const bad = page.getByRole('row').filter({ hasText: 'email' }).last()
  await bad.getByText('3', { exact: true }).waitFor()
  t.same(await listed(tenant), [], 'nothing is stored')
  await checkScreen(t, dashboard)

  await page.getByRole('button', { name: 'Import 2 rows' }).click()
  await page.getByText('2 subscribers were imported.').waitFor()
  await page.getByRole('link', { name: 'Show the subscribers' }).click()
  await page.getByText('ana@example.com').waitFor()
  await checkScreen(t, dashboard)
  await page.getByRole('searchbox', { name: 'Search in addresses' }).fill('+4930')
  await page.getByText('ana@example.com').waitFor({ state: 'detached' })

  const download = page.waitForEvent('download')
  await chooseMore(page, 'Export as CSV')
  const exported = await readFile(await (await download).path(), 'utf8')
  t.match(exported, /\+4930901820/)
  t.notMatch(exported, /ana@example/, 'the filters apply to the export')
})

t.test(
  'a webhook is added, edited, signed again and deleted',
  { skip: browserSkipReason },
  async (t) => {
    const tenant = await register(world.api, 'subscriber-edit')
    await tenant.api.call(componentOperations.create, {
      body: { type: 'SERVICE', name: HOSTILE_NAME },
    })
    const browser = await openBrowser(t)
    const url = `${baseUrl}/dashboard/subscribers`
    const dashboard = await openDashboard(browser, { url, tenant })
    const { page } = dashboard
    const dialog = page.getByRole('dialog')
    const act = async (name: string) => {
      await page.getByRole('button', { name: `Actions: ${WEBHOOK}` }).click()
      await page.getByRole('menuitem', { name }).click()
    }

    await page.getByRole('button', { name: 'Add a subscriber' }).click()
    await dialog.getByRole('button', { name: 'Type' }).click()
    await page.getByRole('option', { name: 'Webhook' }).click()
    await dialog.getByRole('textbox', { name: 'URL' }).fill('ftp://example.com')
    await dialog.getByRole('button', { name: 'Generate' }).click()
    await dialog.getByText(HOSTILE_NAME).click()
    await dialog.getByRole('button', { name: 'Add a subscriber' }).click()
    await dialog.locator('[aria-invalid=true]').waitFor()
    await checkScreen(t, dashboard)
    await dialog.getByRole('textbox', { name: 'URL' }).fill(WEBHOOK)
    await dialog.getByRole('button', { name: 'Add a subscriber' }).click()
    await page.getByText('1 component').waitFor()
    const [created] = await listed(tenant)
    t.match(created, { webhookUrl: WEBHOOK, hasWebhookSecret: true, status: 'active' })

    await act('Edit')
    await dialog.getByText('Incident resolved').click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('5 events', { exact: true }).waitFor()
    const [edited] = await listed(tenant)
    t.equal(edited?.events.length, 5)
    t.notOk(edited?.events.includes('incident.resolved'))

    await act('Replace the secret')
    await dialog.getByRole('button', { name: 'Generate a new secret' }).click()
    await dialog.getByText(/^[0-9a-f]{48}$/).waitFor()
    await checkScreen(t, dashboard)
    await dialog.getByRole('button', { name: 'Close' }).click()

    await act('Delete …')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No subscribers yet').waitFor()

    await tenant.api.call(subscriberOperations.create, {
      body: { type: 'email', email: 'ana@example.com' },
    })
    await chooseMore(page, 'Erase an address')
    await dialog.getByRole('textbox', { name: 'E-mail address' }).fill('ana@example.com')
    await dialog.getByRole('button', { name: 'Erase the address' }).click()
    await dialog.getByText('The address was erased, with 1 subscription.').waitFor()
    t.same(await listed(tenant), [])
  },
)

t.test('roles see what they may do', { skip: browserSkipReason }, async (t) => {
  const tenant = await register(world.api, 'subscriber-roles')
  await tenant.api.call(subscriberOperations.create, {
    body: { type: 'email', email: 'ana@example.com' },
  })
  await setRole(world, tenant, 'MEMBER')
  const browser = await openBrowser(t)
  const url = `${baseUrl}/dashboard/subscribers`
  const { page } = await openDashboard(browser, { url, tenant })
  await page.getByText('ana@example.com').waitFor()
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Export as CSV' }).waitFor()
  t.equal(await page.getByRole('menuitem', { name: 'Erase an address' }).count(), 0)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Actions: ana@example.com' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).waitFor()
  t.equal(await page.getByRole('menuitem', { name: 'Delete' }).count(), 0)
})

t.test('a viewer sees no subscriber', { skip: browserSkipReason }, async (t) => {
  const tenant = await register(world.api, 'subscribers-viewer')
  await tenant.api.call(subscriberOperations.create, {
    body: { type: 'email', email: 'ana@example.com' },
  })
  await setRole(world, tenant, 'VIEWER')
  const url = `${baseUrl}/dashboard/subscribers`
  const { page } = await openDashboard(await openBrowser(t), { url, tenant })
  await page.getByText('No permission').waitFor()
  t.equal(await page.getByText('ana@example.com').count(), 0)
})
