/** People and keys: roles, invitations and API keys, and what members with fewer rights see. */
import { componentOperations } from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import { checkScreen, dashboardSettings, openDashboard } from '../kit/dashboard.ts'
import { PASSWORD, register } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const world = await startWorld(t, await dashboardSettings())
const { baseUrl } = world.stack
const HOSTILE_NAME = '<img src=x onerror=alert(1)> & "Co"'

/** Link of the latest invitation to the address. */
const invitationOf = (email: string, count: number): Promise<string> =>
  eventually(
    () => {
      const links = world.smtp.mails
        .filter(({ to }) => to.includes(email))
        .map(({ raw }) => /\/invitations\/[\w-]+/.exec(raw.replaceAll('=\r\n', ''))?.[0])
        .filter((link) => link !== undefined)
      return links.length === count && `${baseUrl}${links.at(-1)}`
    },
    { timeoutMs: 60_000 },
  ) as Promise<string>

const buttonsOf = (page: Page) => (name: string) => page.getByRole('button', { name, exact: true })

const choose = async (page: Page, label: string | RegExp, option: string): Promise<void> => {
  // A dialog hides the controls behind it from the accessibility tree, not from this search.
  await page.getByRole('button', { name: label }).last().click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

const accept = async (browser: Browser, link: string): Promise<Page> => {
  const context = await browser.newContext({ locale: 'en' })
  const page = await context.newPage()
  await page.goto(link)
  await page.fill('#name', HOSTILE_NAME)
  await page.fill('#password', PASSWORD)
  await page.click('button.b')
  await page.waitForURL(/\/(account|dashboard)/)
  return page
}

t.test(
  'the owner invites a colleague and gives them a custom role',
  { skip: browserSkipReason },
  async (t) => {
    const tenant = await register(world.api, 'people')
    await tenant.api.call(componentOperations.create, { body: { type: 'SERVICE', name: 'API' } })
    const browser = await openBrowser(t)
    const dashboard = await openDashboard(browser, {
      url: `${baseUrl}/dashboard/people/roles`,
      tenant,
    })
    const { page } = dashboard
    const button = buttonsOf(page)
    await page.getByRole('link', { name: 'Owner' }).waitFor()
    await checkScreen(t, dashboard)
    await page.getByRole('link', { name: 'Owner' }).click()
    await page.getByText('Built-in roles cannot be changed.').waitFor()
    t.equal(await page.getByRole('checkbox').count(), 0, 'a built-in role is read only')
    await checkScreen(t, dashboard)

    await page.goto(`${baseUrl}/dashboard/people/roles/new`)
    await page.getByRole('textbox', { name: 'Name' }).fill('Owner')
    await page.getByRole('checkbox', { name: 'Components: Change' }).check({ force: true })
    const implied = page.getByRole('checkbox', { name: 'Components: View' })
    t.equal(await implied.isChecked(), true, 'a change includes the view')
    await button('Save the role').click()
    await page.getByText('A built-in role has this name').waitFor()
    await checkScreen(t, dashboard)
    await page.getByRole('textbox', { name: 'Name' }).fill('Support')
    await button('Save the role').click()
    await page.getByRole('link', { name: 'Support' }).waitFor()

    await page.getByRole('link', { name: 'Members', exact: true }).click()
    const email = 'ben@people.test'
    await page.getByRole('textbox', { name: 'E-mail address', exact: true }).fill(tenant.email)
    await button('Send the invitation').click()
    await page.getByText('Already a member').waitFor()
    await page.getByRole('textbox', { name: 'E-mail address', exact: true }).fill(email)
    await choose(page, /Role$/, 'Viewer')
    await button('Send the invitation').click()
    await page.getByText(`The invitation to ${email} was sent.`).waitFor()
    await invitationOf(email, 1)
    await button(`Send again: ${email}`).click()
    const colleague = await accept(browser, await invitationOf(email, 2))

    await colleague.goto(`${baseUrl}/dashboard/people`)
    await colleague.getByText('Olga Owner').waitFor()
    t.equal(await buttonsOf(colleague)('Send the invitation').count(), 0, 'a viewer only reads')
    t.equal(await colleague.getByRole('button', { name: /^Actions:/ }).count(), 0)
    await colleague.goto(`${baseUrl}/dashboard/keys`)
    await colleague.getByText('key with').waitFor()
    t.equal(await colleague.getByRole('button', { name: /^(New key|Revoke)/ }).count(), 0)

    await page.reload()
    await page.getByText(HOSTILE_NAME).waitFor()
    await page.getByRole('button', { name: 'Actions: Olga Owner' }).click()
    await page.getByRole('menuitem', { name: 'Remove from the organization' }).click()
    await page.getByText('The member created 1 API key.').waitFor()
    await button('Remove from the organization').click()
    await page.getByText('The last OWNER cannot leave').waitFor()
    await checkScreen(t, dashboard)
    await button('Cancel').click()

    await page.getByRole('button', { name: `Actions: ${HOSTILE_NAME}` }).click()
    await page.getByRole('menuitem', { name: 'Change the role' }).click()
    await choose(page, /Role$/, 'Support')
    await button('Save the role').click()
    await page.getByText('has the role Support now').waitFor()
    await checkScreen(t, dashboard)

    await page.goto(`${baseUrl}/dashboard/start/invite`)
    await page.getByRole('textbox', { name: 'E-mail address' }).fill(`next.${email}`)
    await choose(page, /Role$/, 'Support')
    await button('Send the invitation').click()
    await page.getByText('Support · Invitation sent').waitFor()
    await checkScreen(t, dashboard)

    await colleague.goto(`${baseUrl}/dashboard/components`)
    await colleague.getByRole('row', { name: /^API/ }).waitFor()
    t.equal(await colleague.getByRole('link', { name: 'People' }).count(), 0)
    await colleague.goto(`${baseUrl}/dashboard/people`)
    await colleague.getByText('No permission').waitFor()
  },
)

t.test(
  'the owner creates a key, a program uses it, and the owner revokes it',
  { skip: browserSkipReason },
  async (t) => {
    const tenant = await register(world.api, 'people-keys')
    const browser = await openBrowser(t)
    const dashboard = await openDashboard(browser, { url: `${baseUrl}/dashboard/keys`, tenant })
    const { page } = dashboard
    const button = buttonsOf(page)
    await button('New key').click()
    await page.getByRole('textbox', { name: 'Name' }).fill(HOSTILE_NAME)
    const components = page.getByRole('radiogroup', { name: 'Components' })
    await components.getByText('Read', { exact: true }).click()
    await checkScreen(t, dashboard)
    await button('Create the key').click()
    await page.getByText('Copy the key now.').waitFor()
    const key = (await page.locator('code', { hasText: /^sk_live_/ }).textContent()) ?? ''
    await checkScreen(t, dashboard)
    await button('Done').click()
    t.equal(await page.getByText(key).count(), 0, 'the key is shown once')

    const api = world.api.with({ authorization: `Bearer ${key}` })
    t.equal((await api.request(componentOperations.list, {})).status, 200)
    const created = await api.request(componentOperations.create, {
      body: { type: 'SERVICE', name: 'API' },
    })
    t.equal(created.status, 403, 'it has the chosen permissions only')
    await eventually(
      async () => {
        await page.reload()
        await page.getByText(HOSTILE_NAME).waitFor()
        return (await page.getByText('Last used').count()) > 0
      },
      { timeoutMs: 60_000 },
    )
    await checkScreen(t, dashboard)
    await button(`Revoke: ${HOSTILE_NAME}`).click()
    await button('Revoke').click()
    await page.getByText(HOSTILE_NAME, { exact: true }).waitFor({ state: 'detached' })
    t.equal((await api.request(componentOperations.list, {})).status, 401)
  },
)
