/**
 * The pages for people without a dashboard: account pages in a browser without scripts, from the
 * printed link to an invited user. axe finds no violations on any of them, in light and dark mode,
 * and none is wider than a phone.
 */
import {
  authOperations,
  incidentDraftOperations,
  integrationOperations,
  invitationOperations,
  oncallAlertOperations,
  oncallScheduleOperations,
} from '@status-page/contracts'
import { eventually, httpTarget, smtpSink } from '@status-page/testing'
import { generateSync } from 'otplib'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { sendAlert } from '../kit/alerts.ts'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import { colourViolationsOn, overflowOf, violationsOn } from '../kit/page-assertions.ts'
import { PASSWORD } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const server = await smtpSink(t)
const { stack, api } = await startWorld(t, {
  env: { SMTP_URL: server.url, REGISTRATION: 'closed' },
})
const { baseUrl, setupUrl } = stack

const WAIT = { timeoutMs: 60_000 }

/** Link of the latest mail to the address; the body is encoded as quoted-printable. */
const mailedLink = async (address: string, path: string): Promise<string> => {
  let link = ''
  await eventually(() => {
    const raw = server.mails.findLast(({ to }) => to.includes(address))?.raw ?? ''
    const text = raw.replaceAll(/=\r?\n/g, '')
    link = new RegExp(`${RegExp.escape(baseUrl + path)}[\\w-]+`).exec(text)?.[0] ?? ''
    return link !== ''
  }, WAIT)
  return link
}

const submit = async (page: Page, fields: Record<string, string>): Promise<void> => {
  for (const [name, value] of Object.entries(fields)) await page.fill(`#${name}`, value)
  await page.click('button.b')
}

const withoutScripts = async (browser: Browser): Promise<Page> =>
  (await browser.newContext({ javaScriptEnabled: false })).newPage()

interface ExpectedPage {
  heading: string
  /** Text that only this state of the page contains. */
  text?: string
}

/**
 * Checks that the present page is the expected one, with all rules in light mode, those of colours
 * in dark mode, and its width.
 */
const checkPage = async (
  t: Test,
  page: Page,
  { heading, text = heading }: ExpectedPage,
): Promise<void> => {
  await page.waitForLoadState()
  await page.getByRole('heading', { name: heading, exact: true }).waitFor()
  await page.getByText(text).first().waitFor()
  const name = `${new URL(page.url()).pathname} ${text}`
  await page.emulateMedia({ colorScheme: 'light' })
  for (const width of [1440, 320]) {
    await page.setViewportSize({ width, height: 800 })
    t.equal(await overflowOf(page), 0, `${name} ${width}`)
  }
  t.same(await violationsOn(page), [], `${name} light`)
  await page.emulateMedia({ colorScheme: 'dark' })
  t.same(await colourViolationsOn(page), [], `${name} dark`)
}

const openPage = async (
  t: Test,
  page: Page,
  path: string,
  expected: ExpectedPage,
): Promise<void> => {
  await page.goto(path.startsWith('http') ? path : `${baseUrl}${path}`)
  await checkPage(t, page, expected)
}

/** Client with the session of a browser. */
const sessionOf = async (context: BrowserContext) => {
  const cookies = await context.cookies()
  return api.with({ cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') })
}

t.test('from the printed link to an invited user', { skip: browserSkipReason }, async (t) => {
  const browser = await openBrowser(t)
  const checked = await browser.newPage()
  await openPage(t, checked, setupUrl ?? '', { heading: 'Set up your status page' })
  const owner = await withoutScripts(browser)
  await owner.goto(setupUrl ?? '')
  const fields = { organizationName: 'Acme', name: 'Ana', email: 'ana@acme.test' }
  await submit(owner, { ...fields, password: PASSWORD })
  t.equal(owner.url(), `${baseUrl}/account/new-page`)
  const target = await httpTarget(t)
  await submit(owner, { urls: `${target.url}/health` })
  t.match(await owner.textContent('main'), 'Operational · HTTP 200')
  await owner.click('a.b')
  t.equal(owner.url(), `${baseUrl}/status/acme`)
  t.match(await owner.textContent('main'), `127.0.0.1:${target.port}/health`)
  await owner.goto(await mailedLink('ana@acme.test', '/confirm-email/'))
  await owner.click('button.b')
  t.equal(owner.url(), `${baseUrl}/account?notice=email`)

  const session = await sessionOf(owner.context())
  await session.call(invitationOperations.create, { body: { email: 'eve@acme.test' } })
  const invited = await withoutScripts(browser)
  const invitation = await mailedLink('eve@acme.test', '/invitations/')
  await openPage(t, checked, invitation, { heading: 'Join Acme' })
  await invited.goto(invitation)
  await submit(invited, { name: 'Eve', password: PASSWORD })
  t.match(await invited.textContent('main'), 'Acme')

  await invited.click('button.b')
  await invited.goto(`${baseUrl}/forgot-password`)
  await submit(invited, { email: 'eve@acme.test' })
  const reset = await mailedLink('eve@acme.test', '/reset-password/')
  await openPage(t, checked, reset, { heading: 'Choose a new password' })
  await invited.goto(reset)
  await submit(invited, { newPassword: `${PASSWORD} 2` })
  await submit(invited, { email: 'eve@acme.test', password: `${PASSWORD} 2` })
  t.equal(invited.url(), `${baseUrl}/account`)
})

/** Headings by path. */
const pages = {
  '/': 'Sign in',
  '/sign-in': 'Sign in',
  '/sign-in/sso': 'Single sign-on',
  '/register': 'Registration is closed',
  '/forgot-password': 'Reset your password',
  '/forgot-password?sent=true': 'Check your inbox',
  '/invitations/x': 'This link is not valid',
  '/setup?token=x': 'Already set up',
  '/actions/x': 'This link is not valid',
  '/subscriptions/x': 'This link is not valid',
  '/status/acme/subscribe': 'Subscribe to updates',
}
const memberPages = {
  '/account': 'You are signed in',
  '/account/new-page': 'Create your status page',
  '/account/two-factor': 'Two-factor authentication',
  '/account/pages/x': 'Page not found',
}

const skip = browserSkipReason

t.test('pages of links and members have no violations', { skip }, async (t) => {
  const page = await (await openBrowser(t)).newPage()
  for (const [path, heading] of Object.entries(pages)) {
    await openPage(t, page, path, { heading })
  }
  await page.goto(`${baseUrl}/sign-in`)
  await submit(page, { email: 'ana@acme.test', password: PASSWORD })
  for (const [path, heading] of Object.entries(memberPages)) {
    await openPage(t, page, path, { heading })
  }
})

t.test('pages of the second factor have no violations', { skip }, async (t) => {
  const browser = await openBrowser(t)
  const heading = 'Two-factor authentication'
  const signIn = async () => {
    const page = await (await browser.newContext()).newPage()
    await page.goto(`${baseUrl}/sign-in`)
    await submit(page, { email: 'eve@acme.test', password: `${PASSWORD} 2` })
    return page
  }
  const member = await signIn()
  await member.goto(`${baseUrl}/account/two-factor`)
  await submit(member, { password: `${PASSWORD} 2` })
  await checkPage(t, member, { heading, text: 'Scan the code with your authenticator app' })
  const secret = (await member.textContent('dd code')) ?? ''
  await submit(member, { code: generateSync({ secret }) })
  await checkPage(t, member, { heading: 'Backup codes' })
  const codes = await member.locator('li code').allTextContents()
  t.equal(codes.length, 10)
  const text = 'Two-factor authentication is on.'
  await openPage(t, member, '/account/two-factor', { heading, text })
  const returning = await signIn()
  await checkPage(t, returning, { heading, text: 'Your account is protected by' })
  await submit(returning, { code: 'wrong' })
  await checkPage(t, returning, { heading, text: 'The code is incorrect or was already used.' })
  await submit(returning, { code: codes[0] ?? '' })
  t.equal(returning.url(), `${baseUrl}/account`)
})

t.test('pages of alerts and drafts have no violations', { skip }, async (t) => {
  const page = await (await openBrowser(t)).newPage()
  await page.goto(`${baseUrl}/sign-in`)
  await submit(page, { email: 'ana@acme.test', password: PASSWORD })
  const session = await sessionOf(page.context())
  const { user } = await session.call(authOperations.me)
  await session.call(oncallScheduleOperations.create, {
    body: {
      name: 'Drafts',
      timezone: 'UTC',
      layers: [{ userIds: [user?.id ?? ''] }],
      events: ['incident-draft.created'],
    },
  })
  await session.call(integrationOperations.create, {
    body: {
      name: 'Metrics',
      type: 'prometheus',
      isEnabled: false,
      config: { url: 'https://metrics.invalid/', bearerToken: 'a-token' },
    },
  })
  await sendAlert(session)
  const link = await mailedLink('ana@acme.test', '/actions/')
  const [alert] = (await session.call(oncallAlertOperations.list)).data
  const [draft] = (await session.call(incidentDraftOperations.list)).data
  t.ok(alert)
  t.ok(draft)
  const heading = draft?.title ?? ''
  const phone = await (await openBrowser(t)).newPage()
  await openPage(t, phone, link, { heading })
  await phone.getByRole('button', { name: 'Acknowledge' }).click()
  await checkPage(t, phone, { heading, text: 'Acknowledged by Ana.' })
  await openPage(t, page, `/account/alerts/${alert?.id}`, {
    heading: alert?.title ?? '',
    text: 'Acknowledged.',
  })
  await openPage(t, page, `/account/drafts/${draft?.id}`, { heading })
  await phone.getByRole('button', { name: 'Veto' }).click()
  await checkPage(t, phone, { heading, text: 'This draft was vetoed.' })
})

t.test('pages of subscribers have no violations', { skip }, async (t) => {
  const page = await (await openBrowser(t)).newPage()
  await page.goto(`${baseUrl}/status/acme/subscribe`)
  await page.fill('#email', 'reader@example.com')
  await page.locator('form:has(#email) button').click()
  await checkPage(t, page, {
    heading: 'Subscribe to updates',
    text: 'We sent you a confirmation email.',
  })
  const link = await mailedLink('reader@example.com', '/subscriptions/confirm/')
  await openPage(t, page, link, { heading: 'Confirm your subscription' })
  await page.locator('form button').first().click()
  await checkPage(t, page, { heading: 'Subscription confirmed' })
  await page.locator('a[href*="/subscriptions/"]').first().click()
  await checkPage(t, page, { heading: 'Your subscription' })
  await openPage(t, page, `${page.url()}/unsubscribe`, { heading: 'Unsubscribe' })
})
