/** Uses of the OpenAPI document: an explorer that makes calls, and the typed client. */
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { tour } from './client/tour.ts'
import { browserSkipReason, openBrowser } from './kit/browser.ts'
import { switchableTarget } from './kit/receivers.ts'
import { register } from './kit/tenant.ts'
import { startWorld } from './kit/world.ts'

/** Duration of the rendering of all operations on a busy machine. */
const RENDERED_WITHIN_MS = 120_000

const world = await startWorld(t)
const target = await switchableTarget(t)

t.test('the typed client runs the tour', async (t) => {
  t.match(await tour(world.stack.baseUrl, target.url), {
    key: /^sk_live_[\w-]{43}$/,
    component: { type: 'ENDPOINT', status: 'operational' },
    subscribers: ['active', 'active'],
    status: { indicator: 'none', components: ['API'] },
    refusal: { status: 400, code: 'VALIDATION_ERROR', field: 'email' },
  })
})

t.test(
  'in a real browser an entered key makes a call, and the page reports no error',
  { skip: browserSkipReason },
  async (t) => {
    const { api } = await register(world.api, 'explorer')
    const page = await openPage(t)
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))

    await page.goto(`${world.stack.baseUrl}/api/docs#/components/components.list`)
    t.equal(await page.title(), 'Status page service: API')
    const operation = page.locator('.opblock-get', {
      has: page.locator('[data-path="/api/v1/components"]'),
    })
    await operation.locator('.opblock-body').waitFor()
    t.same(await called(page, operation), { status: '401', code: 'UNAUTHORIZED' }, 'without a key')
    await authorize(page, api.headers.authorization?.replace('Bearer ', '') ?? '')
    t.same(await called(page, operation), { status: '200', data: [] }, 'with the key')
    t.same(
      complaints.filter((text) => !text.includes('401 (Unauthorized)')),
      [],
      'no policy violation and no script error',
    )

    const stored = await page.evaluate<string>(
      'JSON.stringify({ ...localStorage, ...sessionStorage })',
    )
    t.equal(stored, '{}', 'the key is not stored')
  },
)

async function openPage(t: Test): Promise<Page> {
  const browser = await openBrowser(t)
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } })
  page.setDefaultTimeout(RENDERED_WITHIN_MS)
  return page
}

async function authorize(page: Page, key: string): Promise<void> {
  await page.locator('.auth-wrapper .authorize').first().click()
  const field = page.locator('#auth-bearer-value')
  await field.fill(key)
  await page.locator('.auth-container', { has: field }).locator('button.authorize').click()
  await page.locator('.btn-done').first().click()
}

/**
 * Presses *Try it out* and *Execute*; returns the status and the part of the body that
 * distinguishes success from an error.
 */
async function called(page: Page, operation: ReturnType<Page['locator']>) {
  const tryOut = operation.locator('.try-out__btn:not(.cancel)')
  if ((await tryOut.count()) > 0) await tryOut.click()
  const response = page.waitForResponse((response) => response.url().includes('/api/v1/components'))
  await operation.locator('.execute').click()
  const body = JSON.parse(await (await response).text())
  const status = operation.locator('.live-responses-table .response-col_status')
  await operation.locator('.live-responses-table').waitFor()
  const shown = String((await response).status())
  await status.filter({ hasText: shown }).first().waitFor()
  return body.error === undefined
    ? { status: shown, data: body.data }
    : { status: shown, code: body.error.code }
}
