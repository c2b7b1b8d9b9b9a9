/** Events in the dashboard: one stream for all tabs of a browser, and a notice while it is cut. */
import { componentOperations, incidentOperations } from '@status-page/contracts'
import type { BrowserContext, Request } from 'playwright-core'
import t from 'tap'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import { checkScreen, dashboardSettings, openDashboard } from '../kit/dashboard.ts'
import { register } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const world = await startWorld(t, await dashboardSettings())
const { baseUrl } = world.stack
const { core, gateway } = world.stack.processes

/** Requests of event streams of all tabs of the browser from now on. */
const streamsOf = (context: BrowserContext): Request[] => {
  const streams: Request[] = []
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/v1/events/stream') streams.push(request)
  })
  return streams
}

t.test('events reach every tab over one stream', { skip: browserSkipReason }, async (t) => {
  const tenant = await register(world.api, 'live')
  const browser = await openBrowser(t)
  const first = await openDashboard(browser, { url: `${baseUrl}/dashboard`, tenant })
  await first.page.getByText('There are no components yet').waitFor()
  const context = first.page.context()
  const streams = streamsOf(context)
  const second = await context.newPage()
  await second.goto(`${baseUrl}/dashboard/incidents`)
  await second.getByText('No open incidents').waitFor()

  const { id } = await tenant.api.call(incidentOperations.create, { body: { title: 'API errors' } })
  await first.page.getByRole('link', { name: 'API errors' }).waitFor()
  await second.getByRole('link', { name: 'API errors' }).waitFor()
  t.equal(streams.length, 0, 'the second tab receives the events of the first one')

  await first.page.close()
  await second.getByRole('link', { name: 'API errors' }).click()
  await second.getByRole('heading', { name: 'API errors', level: 1 }).waitFor()
  await tenant.api.call(incidentOperations.addUpdate, {
    params: { id },
    body: { status: 'identified', message: 'The cause is known.' },
  })
  await second.getByText('The cause is known.').waitFor()
  t.equal(streams.length, 1, 'the second tab takes the stream over')
  t.match(streams[0]?.headers()['last-event-id'], /^evt_/, 'it continues after the last event')

  const component = await tenant.api.call(componentOperations.create, {
    body: { type: 'SERVICE', name: 'Checkout' },
  })
  await tenant.api.call(incidentOperations.addUpdate, {
    params: { id },
    body: { status: 'monitoring', componentStatuses: { [component.id]: 'partial_outage' } },
  })
  await second.getByText('Checkout').first().waitFor()
  await tenant.api.call(componentOperations.update, {
    params: { id: component.id },
    body: { name: 'Payments' },
  })
  await second.getByText('Payments').first().waitFor()
})

t.test('a cut stream is named with its time', { skip: browserSkipReason }, async (t) => {
  const tenant = await register(world.api, 'live-cut')
  await tenant.api.call(incidentOperations.create, { body: { title: 'API errors' } })
  const browser = await openBrowser(t)
  const url = `${baseUrl}/dashboard`
  const dashboard = await openDashboard(browser, { url, tenant, options: {} })
  const { page } = dashboard
  await page.getByRole('link', { name: 'API errors' }).waitFor()
  await page.clock.install()
  await page.reload()
  await page.getByRole('link', { name: 'API errors' }).waitFor()
  const notice = page.getByText('no connection to the service since')
  t.equal(await notice.count(), 0)
  const boxOfTitle = () => page.getByRole('heading', { name: 'Overview', level: 1 }).boundingBox()
  const before = await boxOfTitle()
  await gateway.kill('SIGKILL')
  await page.clock.fastForward('00:40')
  await notice.waitFor()
  t.same(await boxOfTitle(), before, 'the notice moves nothing')
  await checkScreen(t, dashboard)
  await gateway.restart()
  await gateway.waitReady()
  await page.clock.fastForward('00:40')
  await notice.waitFor({ state: 'detached' })
})

t.test('an error names no service of the installation', { skip: browserSkipReason }, async (t) => {
  const tenant = await register(world.api, 'live-error')
  const browser = await openBrowser(t)
  await core.kill('SIGKILL')
  const dashboard = await openDashboard(browser, { url: `${baseUrl}/dashboard`, tenant })
  const { page } = dashboard
  await page.getByText('The service is not available at present.').waitFor()
  t.equal(await page.getByText(/\bcore\b/).count(), 0)
  await checkScreen(t, dashboard)
  await core.restart()
  await core.waitReady()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('There are no components yet').waitFor()
})
