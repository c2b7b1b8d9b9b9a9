/** Components: order by keyboard and pointer, actions on several of them, and what a viewer sees. */
import { componentOperations } from '@status-page/contracts'
import { eventually, httpTarget } from '@status-page/testing'
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import {
  checkScreen,
  chooseByTyping,
  dashboardSettings,
  openDashboard,
  pauseChanges,
} from '../kit/dashboard.ts'
import { joinOrganization, register, type Tenant } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const world = await startWorld(t, await dashboardSettings())
const { baseUrl } = world.stack
const HOSTILE_NAME = '<img src=x onerror=alert(1)> & "Co"'

const create = async ({ api }: Tenant, name: string, parentComponentId: string | null = null) => {
  const body = { type: 'SERVICE', name, parentComponentId } as const
  return (await api.call(componentOperations.create, { body })).id
}

const namesIn = async ({ api }: Tenant, query: object): Promise<string[]> => {
  const { data } = await api.call(componentOperations.list, { query })
  return data.map(({ name }) => name)
}

/** Begins a drag by keyboard. The library takes no input before it has focused the first target. */
const pickUp = async (row: Locator) => {
  const page = row.page()
  await row.focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.locator('[aria-roledescription="drop indicator"]:focus').waitFor()
}

const dropOn = async (page: Page, target: string) => {
  await page.getByRole('button', { name: target }).focus()
  await page.keyboard.press('Enter')
}

t.test('the owner orders components by keyboard', { skip: browserSkipReason }, async (t) => {
  const tenant = await register(world.api, 'component-order-of-an-organization-with-a-long-name')
  for (const name of ['Alpha', 'Beta', 'Gamma']) await create(tenant, name)
  const browser = await openBrowser(t)
  const dashboard = await openDashboard(browser, { url: `${baseUrl}/dashboard/components`, tenant })
  const { page } = dashboard
  const gamma = page.getByRole('row', { name: /^Gamma/ })
  const beta = page.getByRole('row', { name: /^Beta/ })
  // The name of the organization covers nothing.
  await page.getByRole('heading', { level: 1 }).click({ trial: true })

  const release = await pauseChanges(page, 'POST')
  await pickUp(gamma)
  await dropOn(page, 'Insert before Alpha')
  await page.getByRole('row').first().and(gamma).waitFor()
  t.match(await page.getByRole('row').allTextContents(), [/^Gamma/, /^Alpha/, /^Beta/])
  await pickUp(beta)
  await dropOn(page, 'Drop on Alpha')
  await page.locator('[aria-level="2"]').and(beta).waitFor()
  t.equal(await release(), 1, 'the second move waits for the first')
  const inOrder = async () => (await namesIn(tenant, { topLevelOnly: true })).join(' ')
  await eventually(async () => (await inOrder()) === 'Gamma Alpha')
  await page.locator('[aria-level="2"]').and(beta).waitFor()
  await checkScreen(t, dashboard)

  // The other user deletes the group that is the target, which this list shows for a moment.
  const alpha = (await tenant.api.call(componentOperations.list, { query: { search: 'Alpha' } }))
    .data[0]
  await page.route('**/api/v1/components?*', (route) => route.abort())
  await tenant.api.call(componentOperations.remove, { params: { id: alpha?.id ?? '' } })
  await pickUp(gamma)
  await dropOn(page, 'Drop on Alpha')
  await page.getByText('The components were not moved').waitFor()
  t.match(await page.getByRole('row').allTextContents(), [/^Gamma/, /^Alpha/])
})

t.test('a drop on a component that has disappeared', { skip: browserSkipReason }, async (t) => {
  const tenant = await register(world.api, 'component-disappeared')
  const [alphaId, betaId] = [await create(tenant, 'Alpha'), await create(tenant, 'Beta')]
  const browser = await openBrowser(t)
  const { page } = await openDashboard(browser, { url: `${baseUrl}/dashboard/components`, tenant })
  await pickUp(page.getByRole('row', { name: /^Beta/ }))
  const target = page.getByRole('button', { name: 'Drop on Alpha' })
  await target.focus()
  await tenant.api.call(componentOperations.remove, { params: { id: alphaId } })
  const body = { status: 'major_outage' } as const
  await tenant.api.call(componentOperations.update, { params: { id: betaId }, body })
  await target.waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await page.getByText('The components were not moved').waitFor()
})

t.test('the owner drags several components', { skip: browserSkipReason }, async (t) => {
  const tenant = await register(world.api, 'component-drag')
  for (const name of ['Alpha', 'Beta', 'Gamma', 'Omega']) await create(tenant, name)
  const browser = await openBrowser(t)
  const { page } = await openDashboard(browser, { url: `${baseUrl}/dashboard/components`, tenant })
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) })
  const before = await row('Beta').boundingBox()
  for (const name of ['Alpha', 'Beta']) await row(name).getByRole('checkbox').check()
  await page.getByText('2 selected').waitFor()
  t.same(await row('Beta').boundingBox(), before, 'the bar of actions moves no row')
  const drag = async (source: Locator, name: string) => {
    const [from, to] = [await source.boundingBox(), await row(name).boundingBox()]
    if (from === null || to === null) throw new Error('The rows are not displayed')
    await page.mouse.move(from.x + 14, from.y + from.height / 2)
    await page.mouse.down()
    await page.mouse.move(to.x + 80, to.y + 2, { steps: 10 })
    // A browser repeats dragover while the pointer rests; playwright sends it for a move, unless
    // the move enters another element.
    await page.mouse.move(to.x + 80, to.y + 3)
    await page.locator('.react-aria-DropIndicator[data-drop-target]').waitFor()
    await page.mouse.up()
  }
  await drag(row('Beta'), 'Omega')
  const inOrder = async () => (await namesIn(tenant, { topLevelOnly: true })).join(' ')
  await eventually(async () => (await inOrder()) === 'Gamma Alpha Beta Omega')
  const rows = await page.getByRole('row').allTextContents()
  t.match(rows, [/^Gamma/, /^Alpha/, /^Beta/, /^Omega/])

  await row('Omega').getByRole('checkbox').click()
  await page.keyboard.press('Escape')
  await page.getByText('3 selected').waitFor({ state: 'detached' })
  await drag(row('Omega').getByRole('checkbox'), 'Gamma')
  await eventually(async () => (await inOrder()) === 'Omega Gamma Alpha Beta')
  t.equal(await page.getByRole('checkbox', { checked: true }).count(), 0, 'a drag selects nothing')
})

t.test('the owner lets a component follow a vendor', { skip: browserSkipReason }, async (t) => {
  const tenant = await register(world.api, 'component-vendor')
  const vendor = await httpTarget(t, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      page: { name: 'Stripe Status', url: 'https://status.stripe.example' },
      status: { indicator: 'major', description: '' },
      components: [{ id: 'c1', name: HOSTILE_NAME, status: 'partial_outage' }],
    }),
  })
  const id = await create(tenant, 'Payments')
  const browser = await openBrowser(t)
  const url = `${baseUrl}/dashboard/components/${id}/settings`
  const dashboard = await openDashboard(browser, { url, tenant })
  const { page } = dashboard
  const save = () => page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByLabel("Vendor's status page").fill('http://10.0.0.1/')
  await page.getByLabel("Vendor's component").fill(HOSTILE_NAME)
  await page.getByText('The status of the component follows the vendor.').waitFor()
  await save()
  await page.getByText('has an address that is not public').waitFor()
  await page.getByLabel("Vendor's status page").fill(vendor.url)
  await save()
  await page.getByText('The changes were saved.').waitFor()
  await checkScreen(t, dashboard)
  await eventually(
    async () => {
      const { vendorReport } = await tenant.api.call(componentOperations.read, { params: { id } })
      return vendorReport?.status === 'partial_outage'
    },
    { timeoutMs: 60_000 },
  )
  await page.getByRole('link', { name: 'Monitoring' }).click()
  await page.reload()
  await page.getByRole('heading', { name: "Vendor's report" }).waitFor()
  await page.getByRole('link', { name: 'Stripe' }).waitFor()
  // In the header and in the history of the status.
  await page.getByText('from the vendor').first().waitFor()
  await checkScreen(t, dashboard)
})

t.test('the owner changes several components at once', { skip: browserSkipReason }, async (t) => {
  const tenant = await register(world.api, 'component-bulk')
  const group = await create(tenant, 'Region')
  await create(tenant, 'Inside', group)
  await create(tenant, HOSTILE_NAME)
  await create(tenant, 'Other')
  const browser = await openBrowser(t)
  const dashboard = await openDashboard(browser, { url: `${baseUrl}/dashboard/components`, tenant })
  const { page } = dashboard
  const select = (name: string | RegExp) =>
    page.getByRole('row', { name }).getByRole('checkbox').check({ force: true })
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  await page.getByText(HOSTILE_NAME).waitFor()
  await select(/^Other/)
  await select(/^<img/)
  await page.getByText('2 selected').waitFor()
  await checkScreen(t, dashboard)
  await button('Set status').click()
  await page.getByRole('menuitem', { name: 'Partial outage' }).click()
  await page.getByText('2 components were changed.').waitFor()
  t.same((await namesIn(tenant, { status: 'partial_outage' })).sort(), [HOSTILE_NAME, 'Other'])

  await select(/^Other/)
  await button('More actions').click()
  await page.getByRole('menuitem', { name: 'Move to a group' }).click()
  await chooseByTyping(page.getByRole('combobox', { name: 'Group' }), 'Regi')
  await checkScreen(t, dashboard)
  await button('Move').click()
  await page.getByText('1 component was changed.').waitFor()
  t.same(await namesIn(tenant, { parentId: group }), ['Inside', 'Other'])

  await select(/^Region/)
  await button('Delete').click()
  await page.getByRole('dialog', { name: 'Delete 1 component?' }).waitFor()
  await page.getByText('2 subcomponents are deleted, too.').waitFor()
  await checkScreen(t, dashboard)
  await button('Delete 3 components').click()
  await page.getByText('1 component was changed.').waitFor()
  t.same(await namesIn(tenant, {}), [HOSTILE_NAME])

  await page.goto(`${baseUrl}/dashboard/components?status=operational`)
  await page.getByText('No component matches').waitFor()
  await checkScreen(t, dashboard)
  await button('Clear the filter').click()
  await page.getByText(HOSTILE_NAME).waitFor()
})

t.test(
  'the owner sets dependencies and sees the impact',
  { skip: browserSkipReason },
  async (t) => {
    const tenant = await register(world.api, 'component-dependencies')
    const host = await create(tenant, 'Host')
    const api = await create(tenant, 'Gateway')
    const browser = await openBrowser(t)
    const url = `${baseUrl}/dashboard/components/${api}/settings`
    const dashboard = await openDashboard(browser, { url, tenant })
    const { page } = dashboard
    const choice = page.getByRole('group', { name: 'Depends on' })
    await chooseByTyping(choice.getByRole('combobox', { name: 'Add a component' }), 'Host')
    await choice.getByRole('button', { name: 'Remove Host' }).waitFor()
    await checkScreen(t, dashboard)
    await page.getByRole('button', { name: 'Save changes' }).click()
    await eventually(async () => {
      const component = await tenant.api.call(componentOperations.read, { params: { id: api } })
      return component.dependsOn.includes(host)
    })
    await page.goto(`${baseUrl}/dashboard/components/${host}`)
    await page.getByRole('heading', { name: 'Affected by an outage' }).waitFor()
    await page.getByRole('link', { name: 'Gateway' }).waitFor()
    await checkScreen(t, dashboard)

    const release = await pauseChanges(page)
    await page.getByRole('button', { name: 'Set status' }).click()
    await page.getByRole('menuitem', { name: 'Partial outage' }).click()
    const trigger = page.getByRole('button', { name: 'Set status', disabled: true })
    await trigger.and(page.locator(':focus')).waitFor()
    await release()
  },
)

t.test('a viewer reads components without actions', { skip: browserSkipReason }, async (t) => {
  const [tenant, guest] = [
    await register(world.api, 'component-viewer'),
    await register(world.api, 'component-guest'),
  ]
  const id = await create(tenant, 'Read only')
  const viewer = await joinOrganization(world, tenant, { guest, role: 'VIEWER' })
  const browser = await openBrowser(t)
  const dashboard = await openDashboard(browser, {
    url: `${baseUrl}/dashboard/components`,
    tenant: viewer,
  })
  const { page } = dashboard
  await page.getByRole('row', { name: /^Read only/ }).waitFor()
  t.equal(await page.getByRole('checkbox').count(), 0)
  t.equal(await page.getByRole('link', { name: 'New component' }).count(), 0)
  await checkScreen(t, dashboard)
  await page.goto(`${baseUrl}/dashboard/components/${id}/settings`)
  await page.getByRole('textbox', { name: 'Name' }).waitFor()
  for (const name of ['Set status', 'More actions', 'Save changes']) {
    t.equal(await page.getByRole('button', { name }).count(), 0, name)
  }
  await checkScreen(t, dashboard)
})
