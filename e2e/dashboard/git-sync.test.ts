/** Git sync: set-up, failed and successful syncs, changed settings, and their deletion. */
import { componentOperations, gitSyncOperations } from '@status-page/contracts'
import {
  eventually,
  httpsGit,
  localCertificate,
  makeRepository,
  temporaryFolder,
} from '@status-page/testing'
import t from 'tap'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import { checkScreen, dashboardSettings, openDashboard } from '../kit/dashboard.ts'
import { addMember, register } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const TOKEN = 'a-token-that-may-read'
const documentWith = (component: string) => `apiVersion: v1
kind: StatusPageConfig
metadata: { name: production, configVersion: "1" }
spec:
  components:
    - ${component}
`

if (browserSkipReason === false) {
  const folder = await temporaryFolder(t)
  const server = await httpsGit(t, folder, localCertificate())
  server.demand(`Basic ${Buffer.from(`git:${TOKEN}`).toString('base64')}`)
  const repository = await makeRepository(folder)
  await repository.write('statuspage.yaml', documentWith('{ name: Checkout }'))
  const world = await startWorld(t, await dashboardSettings())
  const url = `${world.stack.baseUrl}/dashboard/configuration/git-sync`
  const tenant = await register(world.api, 'git-sync-screen')
  const browser = await openBrowser(t)
  const dashboard = await openDashboard(browser, { url, tenant })
  const { page } = dashboard
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const field = (name: string) => page.getByRole('textbox', { name, exact: true })
  const runs = page.getByRole('list', { name: 'Latest syncs' })
  const secret = page.getByRole('group', { name: 'Webhook secret' })
  const repositoryUrl = `https://localhost:${server.port}/acme/status.git`

  t.test('the owner sets Git sync up, and corrects what fails', async (t) => {
    await field('Repository URL').fill(repositoryUrl.replace('://', '://git:pass@'))
    t.equal(await field('Repository URL').inputValue(), repositoryUrl, 'without user information')
    await field('File path').fill('../statuspage.yaml')
    await page.getByRole('button', { name: /Provider$/ }).click()
    await page.getByRole('option', { name: 'Another server' }).click()
    await button('Set up Git sync').click()
    await page.getByText('This value is required').waitFor()
    t.equal(await page.locator('[aria-invalid=true]').count(), 2, 'path and token are refused')
    await checkScreen(t, dashboard)
    await field('File path').fill('statuspage.yaml')
    await page.getByLabel('Access token', { exact: true }).last().fill('another-token')
    await button('Set up Git sync').click()
    await secret.waitFor()
    await checkScreen(t, dashboard)

    await button('Sync now').click()
    await runs.getByText('Authentication failed').waitFor({ timeout: 60_000 })
    t.equal(await runs.getByText('refused').count(), 0, 'the reason is displayed once')
    await page.reload()
    await runs.waitFor()
    t.equal(await secret.count(), 0, 'the secret is shown once')
    const token = page.locator('input[type=password]')
    t.equal(await token.inputValue(), '', 'as is the token')
    await token.fill(TOKEN)
    await button('Save').click()
    await page.getByText('The changes are saved.').waitFor()
    await button('Sync now').click()
    await runs.getByText('The document is not valid').waitFor({ timeout: 60_000 })
    await runs.getByText(/^line 6, column/).waitFor()
    await checkScreen(t, dashboard)

    await repository.write('statuspage.yaml', documentWith('{ name: Checkout, type: SERVICE }'))
    await button('Sync now').click()
    await runs.getByText('1 created, 0 changed, 0 deleted').waitFor({ timeout: 60_000 })
    const { data } = await tenant.api.call(componentOperations.list)
    t.match(data, [{ name: 'Checkout' }])
    t.equal(data.length, 1)
  })

  t.test('a change that another user has changed as well is a conflict', async (t) => {
    await field('Branch').fill('production')
    await tenant.api.call(gitSyncOperations.update, { body: { branch: 'staging' } })
    await button('Save').click()
    await page.getByText('staging').waitFor()
    await checkScreen(t, dashboard)
    await button('Use my value').click()
    await button('Save').click()
    await eventually(async () => {
      const { branch } = await tenant.api.call(gitSyncOperations.read)
      return branch === 'production'
    })
    await button('Replace the secret').click()
    await secret.waitFor()
  })

  t.test('a viewer reads the settings and the syncs', async (t) => {
    const viewer = await addMember(world, tenant, { name: 'Vera', role: 'VIEWER' })
    const other = await openDashboard(browser, { url, tenant: viewer })
    await other.page.getByText('1 created, 0 changed, 0 deleted').waitFor()
    for (const name of ['Sync now', 'Save', 'Replace the secret', 'Delete Git sync']) {
      const offered = other.page.getByRole('button', { name, exact: true })
      t.equal(await offered.count(), 0, `a viewer is not offered: ${name}`)
    }
    const branch = other.page.getByRole('textbox', { name: 'Branch', exact: true })
    t.equal(await branch.getAttribute('readonly'), '')
    await checkScreen(t, other)
    await other.page.context().close()
  })

  t.test('text is not lost when another user deletes the settings', async (t) => {
    await field('Branch').fill('release')
    await tenant.api.call(gitSyncOperations.remove)
    await button('Save').click()
    await page.getByText('Git sync was deleted in the meantime.').waitFor()
    t.equal(await field('Branch').inputValue(), 'release')
    t.equal(await field('Repository URL').inputValue(), repositoryUrl)
    await checkScreen(t, dashboard)
    await page.getByLabel('Access token', { exact: true }).last().fill(TOKEN)
    await button('Set up Git sync').click()
    await secret.waitFor()
  })

  t.test('after a deletion Git sync can be set up again', async (t) => {
    await button('Delete Git sync').click()
    const dialog = page.getByRole('dialog', { name: 'Delete Git sync?' })
    const confirm = dialog.getByRole('button', { name: 'Delete Git sync' })
    const before = await confirm.boundingBox()
    await page.route('**/config/git-sync', (route) => route.fulfill({ status: 500, json: {} }))
    await confirm.click()
    await dialog.getByRole('alert').waitFor()
    t.same(await confirm.boundingBox(), before, 'the problem moves no button')
    await page.unroute('**/config/git-sync')
    await confirm.click()
    await button('Set up Git sync').waitFor()
    t.equal(await field('Repository URL').inputValue(), '')
  })
} else {
  t.test('Git sync in a browser', { skip: browserSkipReason }, async () => undefined)
}
