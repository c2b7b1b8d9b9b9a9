/**
 * `pnpm --filter @status-page/infra pictures`: starts the whole stack on free ports, creates one
 * organization with a history, and takes the pictures of `docs/pictures/`. Needs chromium
 * (CHROMIUM_PATH).
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dashboardFolder } from '@status-page/dashboard/build'
import type { Page } from 'playwright-core'
import postgres from 'postgres'
import { buildDashboardIfChanged } from '../local/builds.ts'
import { launchBrowser } from '../local/chromium.ts'
import { startStack } from '../local/stack.ts'
import { signUp } from './api.ts'
import {
  backdateAffectedStatuses,
  backdateComponents,
  backdateIncident,
  backdateMaintenances,
  insertMetricDay,
} from './backdate.ts'
import { createCamera } from './camera.ts'
import {
  createComponents,
  createMaintenances,
  createOpenIncident,
  createPastIncidents,
  ORGANIZATION_SLUG,
} from './northwind.ts'

const folder = fileURLToPath(new URL('../../docs/pictures/', import.meta.url))
const dataDir = mkdtempSync(join(tmpdir(), 'pictures-'))

/** Maximum wait until the cached page is replaced. */
const RELOAD_MS = 120_000
const STEP_MS = 1_000

await buildDashboardIfChanged()
const browser = await launchBrowser()
const stack = await startStack({
  dataDir,
  disposable: true,
  env: { RATE_LIMIT_MULTIPLIER: '1000', LOG_LEVEL: 'warn' },
  dashboardFolder,
  log: () => {},
})
const sql = postgres(stack.adminUrl, { max: 1, onnotice: () => {} })
const shoot = createCamera(browser, folder)
const url = `${stack.baseUrl}/status/${ORGANIZATION_SLUG}`

/** Enters an incident in the composer of the dashboard. */
const writeIncident = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'New incident' }).waitFor()
  await page.keyboard.press('c')
  await page.getByRole('textbox', { name: 'What is wrong?' }).waitFor()
  await page.keyboard.type('website down, search slow')
  await page.keyboard.press('Enter')
  await page.keyboard.type('The shop does not respond. We are **investigating**.')
  await page.getByText('Notifies 1 recipient').waitFor()
}

/** Waits until no section of the overview shows its placeholder. */
const waitForOverview = async (page: Page): Promise<void> => {
  await page.getByRole('heading', { name: 'Open incidents' }).waitFor()
  await page.getByText('Loading …').first().waitFor({ state: 'detached' })
}

/** Opens the settings of the status page, and waits for their preview. */
const openDesigner = async (page: Page): Promise<void> => {
  await page.getByRole('link', { name: 'Northwind', exact: true }).click()
  await page.frameLocator('iframe').getByText('Checkout').first().waitFor()
}

/** Waits until the cached page contains the text. */
const waitForPageText = async (text: string): Promise<void> => {
  for (let waited = 0; waited < RELOAD_MS; waited += STEP_MS) {
    if ((await (await fetch(url)).text()).includes(text)) return
    await new Promise((resolve) => setTimeout(resolve, STEP_MS))
  }
  throw new Error(`The page did not show ${text} in time`)
}

try {
  const api = await signUp(stack.baseUrl, 'Northwind')
  const ids = await createComponents(api)
  for (const incident of await createPastIncidents(api, ids)) await backdateIncident(sql, incident)
  await backdateComponents(sql, ids)
  await insertMetricDay(sql)
  await createMaintenances(api, ids)
  await backdateMaintenances(sql)
  await api.post('/subscribers', { type: 'email', email: 'reader@northwind.example' })
  const outage = await createOpenIncident(api, ids)
  await backdateIncident(sql, outage)
  await backdateAffectedStatuses(sql, outage)
  const [started] = await sql<{ at: Date }[]>`
    SELECT started_at AS at FROM core.incidents WHERE id = ${outage.id}`
  await waitForPageText(started?.at.toISOString() ?? '')
  await shoot({ name: 'page-outage-light.png', width: 1440, height: 1344, page: { url } })
  await shoot({ name: 'page-phone.png', width: 360, height: 780, scale: 2, page: { url } })
  const dashboard = { width: 1280, height: 900 }
  const dashboardUrl = `${stack.baseUrl}/dashboard`
  await shoot({
    ...dashboard,
    name: 'dashboard-incident-light.png',
    page: { url: `${dashboardUrl}/incidents/${outage.id}`, cookie: api.cookie },
    prepare: (page) => page.getByRole('combobox', { name: 'Add a component' }).waitFor(),
  })
  const overview = { url: dashboardUrl, cookie: api.cookie }
  await shoot({
    ...dashboard,
    name: 'dashboard-overview-dark.png',
    colours: 'dark',
    page: overview,
    prepare: waitForOverview,
  })
  await shoot({
    width: 390,
    height: 844,
    scale: 2,
    name: 'dashboard-phone.png',
    page: overview,
    prepare: waitForOverview,
  })
  await shoot({
    ...dashboard,
    name: 'dashboard-designer-light.png',
    page: { url: `${dashboardUrl}/pages`, cookie: api.cookie },
    prepare: openDesigner,
  })
  await shoot({
    ...dashboard,
    name: 'dashboard-composer-dark.png',
    colours: 'dark',
    page: { url: dashboardUrl, cookie: api.cookie },
    prepare: writeIncident,
  })
} finally {
  await sql.end({ timeout: 1 })
  await browser.close()
  await stack.abort()
}
