/** Private locations: a token that is shown once, agents, and checks that agents make. */
import { createHash, randomBytes } from 'node:crypto'
import { agentOperations, componentOperations, locationOperations } from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import t from 'tap'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import { checkScreen, dashboardSettings, openDashboard } from '../kit/dashboard.ts'
import { joinOrganization, register } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const world = await startWorld(t, await dashboardSettings())
const { baseUrl } = world.stack
const agentToken = randomBytes(32).toString('base64url')
const agentState = { agentVersion: '0.1.0', canPing: false, lagSeconds: 7 }

const enrol = (enrolmentToken: string) =>
  world.api.with({ authorization: `Bearer ${enrolmentToken}` }).call(agentOperations.enrol, {
    body: {
      name: 'probe-1',
      version: agentState.agentVersion,
      tokenHash: createHash('sha256').update(agentToken).digest('hex'),
      publicKey: Buffer.alloc(32, 1).toString('base64url'),
    },
  })

t.test('the owner monitors a network by an agent', { skip: browserSkipReason }, async (t) => {
  const [tenant, guest] = [
    await register(world.api, 'locations-owner'),
    await register(world.api, 'locations-guest'),
  ]
  const member = await joinOrganization(world, tenant, { guest, role: 'VIEWER' })
  const browser = await openBrowser(t)
  const url = `${baseUrl}/dashboard/locations`
  const dashboard = await openDashboard(browser, { url, tenant })
  const { page } = dashboard
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const field = (name: string) => page.getByRole('textbox', { name, exact: true })
  const tokenDialog = page.getByRole('dialog', { name: 'Enrolment token', exact: true })
  const shownToken = async () => {
    const token = tokenDialog.getByRole('group', { name: 'Enrolment token' }).locator('code')
    return (await token.textContent()) ?? ''
  }
  const chooseAction = async (name: string) => {
    await button('Actions: berlin-office').click()
    await page.getByRole('menuitem', { name }).click()
  }

  await page.getByText('No private locations').waitFor()
  await checkScreen(t, dashboard)
  await button('New location').click()
  await field('Name').fill('Berlin Office')
  await field('Description').fill('Rack 4')
  await button('Create the location').click()
  await eventually(async () => (await field('Name').getAttribute('aria-invalid')) === 'true')
  await field('Name').fill('berlin-office')
  await page.keyboard.press('Enter')
  await tokenDialog.waitFor()
  const first = await shownToken()
  await page.getByText(`statusctl agent --url ${baseUrl} --token-file token`).waitFor()
  await checkScreen(t, dashboard)
  await button('Done').click()
  await page.getByText('Waiting for the first agent').waitFor()
  t.notMatch(await page.content(), first)

  await button('New location').click()
  await field('Name').fill('berlin-office')
  await button('Create the location').click()
  await page.getByText('A location named berlin-office exists already').waitFor()
  await button('Cancel').click()

  await chooseAction('New enrolment token')
  await button('New enrolment token').click()
  await tokenDialog.waitFor()
  const second = await shownToken()
  await button('Done').click()
  await t.rejects(enrol(first), 'the previous token is invalid')
  const { id: agentId } = await enrol(second)
  const agent = world.api.with({ authorization: `Bearer ${agentToken}` })
  const assignments = () =>
    agent.call(agentOperations.assignments, {
      params: { id: agentId },
      body: { ...agentState, version: null },
    })
  await assignments()
  const agentRow = page.getByRole('listitem').filter({ hasText: 'Agent probe-1' })
  await agentRow.getByText('Lag 7 s').waitFor()
  await page.getByText('Active').waitFor()
  await checkScreen(t, dashboard)

  await page.goto(`${baseUrl}/dashboard/components/new`)
  await field('Name').fill('Intranet')
  await field('Address').fill('http://10.1.2.3/')
  const choice = page.getByRole('checkbox', { name: 'berlin-office' })
  await choice.focus()
  await page.keyboard.press('Space')
  t.equal(await field('Locations').inputValue(), 'private:berlin-office')
  await field('Locations').fill('default')
  t.notOk(await choice.isChecked())
  await choice.focus()
  await page.keyboard.press('Space')
  t.equal(await field('Locations').inputValue(), 'default, private:berlin-office')
  await field('Locations').fill('private:berlin-office')
  await checkScreen(t, dashboard)
  await button('Create the component').click()
  await page.getByRole('heading', { name: 'Intranet', level: 1 }).waitFor()
  const { data } = await tenant.api.call(componentOperations.list, { query: {} })
  t.match(data, [{ locations: ['private:berlin-office'] }])
  await eventually(async () => ((await assignments()).targets ?? []).length === 1)

  await page.goto(url)
  await chooseAction('Delete')
  await button('Delete').click()
  await page.getByText('Components use the location.').waitFor()
  await checkScreen(t, dashboard)
  await button('Cancel').click()

  const viewer = await openDashboard(browser, { url, tenant: member })
  await viewer.page.getByText('Agent probe-1').waitFor()
  t.equal(await viewer.page.getByRole('button', { name: /location|Actions:|Revoke/ }).count(), 0)
  await checkScreen(t, viewer)

  await button('Revoke: probe-1').click()
  await button('Revoke').click()
  await page.getByText('Agent probe-1', { exact: true }).waitFor({ state: 'detached' })
  await t.rejects(assignments(), 'the agent is revoked')

  const componentId = data[0]?.id ?? ''
  await tenant.api.call(componentOperations.remove, { params: { id: componentId } })
  const isDeleted = async () => {
    await chooseAction('Delete')
    await button('Delete').click()
    const none = page.getByText('No private locations')
    await none.or(page.getByText('Components use the location.')).waitFor()
    if (await none.isVisible()) return true
    await button('Cancel').click()
    return false
  }
  await eventually(isDeleted, { timeoutMs: 60_000 })
  t.same((await tenant.api.call(locationOperations.list, { query: {} })).data, [])
})
