/** Configuration as a document: problems, plan, apply, drift, rollback and variables. */
import { componentOperations, configurationOperations } from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import type { Locator } from 'playwright-core'
import t from 'tap'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import { checkScreen, dashboardSettings, openDashboard } from '../kit/dashboard.ts'
import { joinOrganization, register, type Tenant } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const world = await startWorld(t, await dashboardSettings())
const { baseUrl } = world.stack
const url = `${baseUrl}/dashboard/configuration`
/** A name with markup stays text everywhere. */
const HOSTILE_NAME = '<img src=x onerror=alert(1)> & "Co"'

const documentOf = (version: string, ...components: string[]) =>
  [
    'apiVersion: v1',
    'kind: StatusPageConfig',
    `metadata: { name: production, configVersion: "${version}" }`,
    'spec:',
    '  components:',
    ...components.map((component) => `    - { ${component} }`),
    '',
  ].join('\n')

const CHECKOUT = 'name: Checkout, type: SERVICE, description: Carts and payments'

/** Replaces the whole text, as a user does who pastes a document. */
const paste = async (editor: Locator, text: string) => {
  await editor.press('ControlOrMeta+a')
  await editor.evaluate((element, pasted) => {
    const data = new DataTransfer()
    data.setData('text/plain', pasted)
    const event = { clipboardData: data, bubbles: true, cancelable: true }
    element.dispatchEvent(new ClipboardEvent('paste', event))
  }, text)
}

const componentsOf = async ({ api }: Tenant) => (await api.call(componentOperations.list)).data

const apply = async ({ api }: Tenant, text: string) => {
  const headers = { 'content-type': 'application/yaml' }
  const path = '/api/v1/config/apply'
  const { status, text: reply } = await api.send('POST', path, { body: text, headers })
  if (status !== 200) throw new Error(reply)
}

t.test(
  'the owner corrects a document, applies it and rolls it back',
  { skip: browserSkipReason },
  async (t) => {
    const tenant = await register(world.api, 'configuration')
    const browser = await openBrowser(t)
    const dashboard = await openDashboard(browser, { url, tenant })
    const { page } = dashboard
    const button = (name: string | RegExp) => page.getByRole('button', { name })
    const editor = page.getByRole('textbox', { name: 'Configuration document' })

    await editor.waitFor()
    await page.getByText('The document has no problems.').waitFor()
    await paste(editor, documentOf('1', 'name: Checkout, type: SERVICE, colour: red'))
    const problem = button(/^Line 6, column \d+: .*colour/)
    await problem.waitFor()
    t.equal(await button('Show the plan').isDisabled(), true, 'an invalid document has no plan')
    await problem.press('Enter')
    t.equal(await editor.evaluate((element) => element.matches(':focus')), true)
    await checkScreen(t, dashboard)

    await page.reload()
    await problem.waitFor()
    await paste(editor, documentOf('1', CHECKOUT, `name: '${HOSTILE_NAME}', type: SERVICE`))
    await page.getByText('The document has no problems.').waitFor()
    await button('Show the plan').click()
    await page.getByText('Created: 2').waitFor()
    await checkScreen(t, dashboard)
    t.same(await componentsOf(tenant), [], 'a plan changes nothing')
    await button('Apply').click()
    await page.getByText('The document has been applied.').waitFor()
    t.same((await componentsOf(tenant)).map(({ name }) => name).sort(), [HOSTILE_NAME, 'Checkout'])

    const checkout = (await componentsOf(tenant)).find(({ name }) => name === 'Checkout')
    await tenant.api.call(componentOperations.update, {
      params: { id: checkout?.id ?? '' },
      body: { description: 'Edited elsewhere' },
    })
    await page.goto(url)
    const drift = page.getByRole('region', { name: 'Differences to the applied document' })
    await drift.getByText('Checkout').waitFor()
    await drift.getByText('Changed').waitFor()

    await paste(editor, documentOf('2', CHECKOUT))
    await button('Show the plan').click()
    await page.getByText('Before: Edited elsewhere').waitFor()
    await page.getByText('After: Carts and payments').waitFor()
    t.equal(await page.getByText('Deleted: 1').count(), 0, 'nothing is deleted without a choice')
    await page.getByText('Delete what the document no longer contains').click()
    await page.getByText('Deleted: 1').waitFor()
    await checkScreen(t, dashboard)
    await button('Apply with deletions (1)').click()
    await page.getByText('The document has been applied.').waitFor()
    t.same(
      (await componentsOf(tenant)).map(({ name }) => name),
      ['Checkout'],
    )

    await page.getByRole('link', { name: 'History' }).click()
    await page.getByText('Latest').waitFor()
    await checkScreen(t, dashboard)
    await page.getByRole('link', { name: 'Version 1', exact: true }).click()
    await page.getByRole('heading', { name: 'Differences to the latest version' }).waitFor()
    t.ok((await page.getByRole('deletion').allTextContents()).some((line) => /onerror/.test(line)))
    await button('Show what would change').click()
    await page.getByText('Created: 1').waitFor()
    await checkScreen(t, dashboard)
    await button('Roll back to this version').click()
    await page.getByText('The document of this version has been applied.').waitFor()
    t.equal((await componentsOf(tenant)).length, 2)
    const [latest] = (await tenant.api.call(configurationOperations.versions)).data
    t.match(latest, { source: 'rollback' })
  },
)

t.test('the owner sets and deletes a variable', { skip: browserSkipReason }, async (t) => {
  const tenant = await register(world.api, 'configuration-variables')
  const browser = await openBrowser(t)
  const dashboard = await openDashboard(browser, { url: `${url}/variables`, tenant })
  const { page } = dashboard
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await page.getByText('There are no variables yet.').waitFor()
  await page.getByRole('textbox', { name: 'Name' }).fill('1_token')
  await page.getByRole('textbox', { name: 'Value' }).fill('swordfish')
  await button('Set the value').click()
  await page.locator('[aria-invalid=true]').waitFor()
  await page.getByRole('textbox', { name: 'Name' }).fill('token')
  await button('Set the value').click()
  await page.getByText('TOKEN', { exact: true }).waitFor()
  t.equal(await page.getByText('swordfish').count(), 0, 'the value is not shown again')
  await checkScreen(t, dashboard)

  await button('Replace the value of TOKEN').click()
  const dialog = page.getByRole('dialog', { name: 'Replace the value of TOKEN' })
  await dialog.getByRole('textbox', { name: 'Value' }).fill('marlin')
  await dialog.getByRole('button', { name: 'Set the value' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await button('Delete TOKEN').click()
  await page.getByRole('dialog', { name: 'Delete TOKEN' }).waitFor()
  await checkScreen(t, dashboard)
  await button('Delete').click()
  await page.getByText('There are no variables yet.').waitFor()
})

t.test(
  'a viewer reads the configuration without actions',
  { skip: browserSkipReason },
  async (t) => {
    const tenant = await register(world.api, 'configuration-viewer')
    const guest = await register(world.api, 'configuration-guest')
    await apply(tenant, documentOf('1', CHECKOUT))
    const viewer = await joinOrganization(world, tenant, { guest, role: 'VIEWER' })
    const browser = await openBrowser(t)
    const dashboard = await openDashboard(browser, { url, tenant: viewer })
    const { page } = dashboard
    const editor = page.getByRole('textbox', { name: 'Configuration document' })
    await editor.waitFor()
    await eventually(async () => /Checkout/.test((await editor.textContent()) ?? ''))
    t.equal(await editor.getAttribute('aria-readonly'), 'true')
    t.equal(await page.getByRole('button', { name: 'Show the plan' }).count(), 0)
    await checkScreen(t, dashboard)
    await page.getByRole('link', { name: 'Variables' }).click()
    await page.getByText('There are no variables yet.').waitFor()
    t.equal(await page.getByRole('textbox', { name: 'Name' }).count(), 0)
  },
)
