/** Command palette and shortcuts: every part of the application by keyboard. */
import {
  componentOperations,
  incidentOperations,
  statusPageOperations,
} from '@status-page/contracts'
import t from 'tap'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import { checkScreen, dashboardSettings, openDashboard } from '../kit/dashboard.ts'
import { register } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const world = await startWorld(t, await dashboardSettings())
const url = `${world.stack.baseUrl}/dashboard`
const HOSTILE_NAME = '<img src=x onerror=alert(1)> pump'

t.test('search and actions by keyboard', { skip: browserSkipReason }, async (t) => {
  const { api, ...tenant } = await register(world.api, 'palette')
  await api.call(componentOperations.create, { body: { type: 'SERVICE', name: HOSTILE_NAME } })
  await api.call(incidentOperations.create, { body: { title: 'The pump is stuck' } })
  await api.call(statusPageOperations.create, { body: { name: 'Pump status', slug: 'pump' } })
  const dashboard = await openDashboard(await openBrowser(t), { url, tenant })
  const { page } = dashboard
  const search = page.getByRole('dialog').getByRole('searchbox')
  const { keyboard } = page
  await page.getByRole('button', { name: 'Search and actions' }).waitFor()

  await keyboard.press('Control+k')
  await search.waitFor()
  await keyboard.type('pump')
  for (const name of [HOSTILE_NAME, 'The pump is stuck', 'Pump status']) {
    await page.getByRole('menuitem', { name }).waitFor()
  }
  t.equal(await page.locator('[role=menu] img').count(), 0, 'names stay text')
  await checkScreen(t, dashboard)
  await search.fill('nothing of this kind')
  await page.getByText('Nothing found').waitFor()
  await search.fill('components')
  await page.getByRole('menuitem', { name: 'Components' }).waitFor()
  await keyboard.press('ArrowDown')
  await keyboard.press('Enter')
  await page.waitForURL('**/dashboard/components')

  await keyboard.press('Control+k')
  await keyboard.type('account')
  await page.getByRole('menuitem', { name: 'Account' }).waitFor()
  await keyboard.press('ArrowDown')
  await keyboard.press('Enter')
  await page.waitForURL('**/dashboard/account')

  await keyboard.press('Control+k')
  await keyboard.type('new inc')
  await page.getByRole('menuitem', { name: 'New incident' }).waitFor()
  await keyboard.press('ArrowDown')
  await keyboard.press('Enter')
  const line = page.getByRole('textbox', { name: 'What is wrong?' })
  await line.waitFor()
  await keyboard.type('c?')
  t.equal(await line.inputValue(), 'c?', 'no shortcut acts in a field')
  await line.fill('')
  await keyboard.press('Escape')
  await line.waitFor({ state: 'detached' })

  await keyboard.press('?')
  const singleKeys = page.getByRole('checkbox', { name: 'Single-key shortcuts' })
  await singleKeys.waitFor()
  await checkScreen(t, dashboard)
  await singleKeys.focus()
  await keyboard.press('Space')
  await keyboard.press('Escape')
  await singleKeys.waitFor({ state: 'detached' })
  await keyboard.press('c')
  t.equal(await page.getByRole('dialog').count(), 0, 'single keys are off')
  await keyboard.press('Control+k')
  await search.waitFor()
})
