/**
 * `pnpm --filter @status-page/infra pictures`: starts the whole stack on free ports, creates one
 * organization with a history, and takes the pictures of `docs/pictures/`. Needs chromium
 * (CHROMIUM_PATH).
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import postgres from 'postgres'
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
import { htmlOfMail } from './mail.ts'
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

const browser = await launchBrowser()
const stack = await startStack({
  dataDir,
  disposable: true,
  env: { RATE_LIMIT_MULTIPLIER: '1000', LOG_LEVEL: 'warn' },
  log: () => {},
})
const sql = postgres(stack.adminUrl, { max: 1, onnotice: () => {} })
const shoot = createCamera(browser, folder)
const url = `${stack.baseUrl}/status/${ORGANIZATION_SLUG}`

/** Scrolls the element to the top, with a margin above it. */
const topOf = (page: Page, selector: string): Promise<void> =>
  page.evaluate(
    `scrollTo(0, document.querySelector('${selector}').getBoundingClientRect().top + scrollY - 40)`,
  )

const pageSays = async (text: string): Promise<void> => {
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
  const calm = { width: 1000, colours: 'dark', of: { url } } as const
  await shoot({ ...calm, name: 'page-calm-dark.png', height: 1254 })
  await shoot({
    ...calm,
    name: 'page-figures-dark.png',
    height: 925,
    until: (page) => topOf(page, '#metrics'),
  })

  await api.post('/subscribers', { type: 'email', email: 'reader@northwind.example' })
  const outage = await createOpenIncident(api, ids)
  const mail = await htmlOfMail(join(dataDir, 'mail'), 'Monitoring')
  await backdateIncident(sql, outage)
  await backdateAffectedStatuses(sql, outage)
  const [started] = await sql<{ at: Date }[]>`
    SELECT started_at AS at FROM core.incidents WHERE id = ${outage.id}`
  await pageSays(started?.at.toISOString() ?? '')
  await shoot({ name: 'page-outage-light.png', width: 1440, height: 1344, of: { url } })
  await shoot({ name: 'page-phone.png', width: 360, height: 780, scale: 2, of: { url } })
  await shoot({ name: 'mail-light.png', width: 720, height: 590, of: { html: mail } })
  await shoot({
    name: 'explorer.png',
    width: 1440,
    height: 900,
    of: { url: `${stack.baseUrl}/api/docs` },
    until: async (page) => {
      await page.locator('#operations-tag-incidents').click()
      await page.locator('.opblock-summary', { hasText: 'incidents.create' }).click()
      await page.locator('.opblock.is-open .opblock-body').waitFor()
      await page.evaluate('document.activeElement.blur()')
      await topOf(page, '.opblock.is-open')
    },
  })
} finally {
  await sql.end({ timeout: 1 })
  await browser.close()
  await stack.abort()
}
