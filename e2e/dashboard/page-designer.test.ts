/** Status pages: creation, design with a preview, publication, a conflict, and what a viewer sees. */
import { componentOperations, statusPageOperations } from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import type { Page } from 'playwright-core'
import t from 'tap'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import {
  checkScreen,
  chooseByTyping,
  dashboardSettings,
  openDashboard,
  switchOrganization,
} from '../kit/dashboard.ts'
import { joinOrganization, register, type Tenant } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const world = await startWorld(t, await dashboardSettings())
const { baseUrl } = world.stack
const HOSTILE_NAME = '<img src=x onerror=parent.hacked=1> & "Co"'

const create = async ({ api }: Tenant, name: string) =>
  (await api.call(componentOperations.create, { body: { type: 'SERVICE', name } })).id

const controls = (page: Page) => ({
  button: (name: string) => page.getByRole('button', { name, exact: true }),
  field: (name: string) => page.getByRole('textbox', { name, exact: true }),
  link: (name: string) => page.getByRole('link', { name, exact: true }),
})

/** Document of the page in the frame. */
const previewIn = (page: Page) => page.frameLocator('iframe[title="Preview of the page"]')

t.test('the owner designs and publishes a page', { skip: browserSkipReason }, async (t) => {
  const tenant = await register(world.api, 'designer')
  for (const name of ['Checkout', 'Search']) await create(tenant, name)
  const browser = await openBrowser(t)
  const dashboard = await openDashboard(browser, { url: `${baseUrl}/dashboard/pages`, tenant })
  const { page } = dashboard
  const { button, field, link } = controls(page)
  const preview = previewIn(page)

  await page.getByText('There are no status pages yet').waitFor()
  await checkScreen(t, dashboard)
  await link('New status page').click()
  await field('Name').fill('Acme status')
  t.equal(await field('Address').inputValue(), 'acme-status', 'the name proposes an address')
  await field('Address').fill('designed')
  await checkScreen(t, dashboard)
  await button('Create the page').click()

  await preview.getByRole('heading', { name: 'All Systems Operational' }).waitFor()
  await preview.getByText('Checkout').first().waitFor()
  await field('Name').fill(HOSTILE_NAME)
  await preview.getByText(HOSTILE_NAME).first().waitFor()
  t.equal(await page.evaluate('globalThis.hacked'), undefined, 'the name is text in the preview')
  const frame = page.frames().find((one) => one.url().endsWith('/preview-frame'))
  t.equal(await frame?.evaluate('origin'), 'null', 'the origin of the preview is another one')
  await field('Description').fill('What runs, and what does not.')
  await preview.getByText('What runs, and what does not.').waitFor()

  await field('Degraded performance').fill('#12')
  await page.getByText('The preview shows the last valid settings.').waitFor()
  t.equal(await field('Degraded performance').getAttribute('aria-invalid'), 'true')
  await field('Degraded performance').fill('#aa7700')
  await page.getByText('Selected components', { exact: true }).click()
  const components = page.getByRole('combobox', { name: 'Add a component' })
  await chooseByTyping(components, 'Sear')
  await components.and(page.locator(':focus')).waitFor()
  await preview.getByText('Checkout').first().waitFor({ state: 'detached' })
  await button('Edit Search').click()
  await field('Name on the page').fill('Product search')
  await field('Group').fill('Shop')
  await button('Done').click()
  await preview.getByText('Product search').first().waitFor()
  await page.getByRole('combobox', { name: 'Time zone' }).waitFor()
  await checkScreen(t, dashboard)

  const requests: string[] = []
  page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`))
  await button('Save changes').click()
  await page.getByText('The changes were saved.').waitFor()
  const ofPage = requests.filter((one) => /\/status-pages\/[\w-]+(?:\/preview)?$/.test(one))
  t.match(ofPage, [/^PATCH /])
  t.equal(ofPage.length, 1, 'the reply is the page, and its preview stays')
  await button('Publish').click()
  await page.getByText('Published', { exact: true }).waitFor()
  const { data } = await tenant.api.call(statusPageOperations.list, {})
  t.match(data, [
    {
      name: HOSTILE_NAME,
      slug: 'designed',
      isPublished: true,
      theme: { degradedColor: '#aa7700' },
      components: [{ displayName: 'Product search', groupName: 'Shop', order: 0 }],
    },
  ])
  await eventually(
    async () => {
      const reply = await fetch(`${baseUrl}/status/designed`)
      return reply.ok && (await reply.text()).includes('Product search')
    },
    { timeoutMs: 60_000 },
  )

  await link('Embed and share').click()
  await page.getByText(`${baseUrl}/status/designed/embed.js`).waitFor()
  await checkScreen(t, dashboard)
  await link('Custom domain').click()
  await field('Domain').fill('status.acme.invalid')
  await button('Use the domain').click()
  await page.getByText('_status-page.status.acme.invalid').waitFor()
  await button('Check now').click()
  await page
    .getByText(/Not found|did not respond/)
    .first()
    .waitFor()
  await checkScreen(t, dashboard)

  await link('Design').click()
  await field('Description').fill('Never saved')
  await page.getByRole('link', { name: 'Incidents' }).first().click()
  await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
  await button('Stay').click()
  await button('Discard changes').click()

  await button('More actions').click()
  await page.getByRole('menuitem', { name: 'Delete the page …' }).click()
  await page.getByRole('dialog').waitFor()
  t.equal(await button('Delete the page').isDisabled(), true)
  await checkScreen(t, dashboard)
  await page.getByRole('textbox', { name: 'Type designed to confirm' }).fill('designed')
  await button('Delete the page').click()
  await page.getByText('There are no status pages yet').waitFor()
  t.same((await tenant.api.call(statusPageOperations.list, {})).data, [])
})

t.test('two editors of a page lose nothing', { skip: browserSkipReason }, async (t) => {
  const tenant = await register(world.api, 'designer-conflict')
  const body = { name: 'Shared', slug: 'designer-conflict' }
  const { id } = await tenant.api.call(statusPageOperations.create, { body })
  const browser = await openBrowser(t)
  const url = `${baseUrl}/dashboard/pages/${id}`
  const { page } = await openDashboard(browser, { url, tenant })
  const { button, field } = controls(page)
  await field('Name').fill('Mine')
  await previewIn(page).getByText('Mine').first().waitFor()
  const other = { name: 'Theirs', description: 'Added by the other one' }
  await tenant.api.call(statusPageOperations.update, { params: { id }, body: other })

  await button('Save changes').click()
  await page.getByText('Others have changed the same fields').waitFor()
  await page.getByText('Theirs', { exact: true }).first().waitFor()
  t.equal(await field('Name').inputValue(), 'Mine', 'no text is lost')
  await button('Use my value').click()
  await button('Save changes').click()
  await page.getByText('The changes were saved.').waitFor()
  t.match(await tenant.api.call(statusPageOperations.read, { params: { id } }), {
    name: 'Mine',
    description: 'Added by the other one',
  })
})

t.test('a viewer reads the settings of its own pages', { skip: browserSkipReason }, async (t) => {
  const [tenant, guest] = [
    await register(world.api, 'designer-viewer'),
    await register(world.api, 'designer-guest'),
  ]
  const body = { name: 'Read only', slug: 'designer-viewer' }
  const { id } = await tenant.api.call(statusPageOperations.create, { body })
  const browser = await openBrowser(t)
  const url = `${baseUrl}/dashboard/pages/${id}`
  const dashboard = await openDashboard(browser, { url, tenant: { email: guest.email } })
  const { page } = dashboard
  await page.getByText('Page not found').waitFor()

  await joinOrganization(world, tenant, { guest, role: 'VIEWER' })
  await page.goto(`${baseUrl}/dashboard/`)
  await switchOrganization(page, tenant.name)
  await page.goto(`${baseUrl}/dashboard/pages`)
  await page.getByRole('link', { name: 'Read only' }).click()
  const { button, field } = controls(page)
  await field('Name').waitFor()
  t.equal(await field('Name').isDisabled(), true)
  for (const name of ['Publish', 'More actions', 'Save changes']) {
    t.equal(await button(name).count(), 0, name)
  }
  t.equal(await page.locator('iframe').count(), 0)
  await checkScreen(t, dashboard)
})
