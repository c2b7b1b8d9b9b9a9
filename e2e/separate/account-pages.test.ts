/**
 * The account pages in a browser without scripts: from the printed link to an invited user with a
 * second factor. axe finds no violations at either width, in light and dark mode.
 */
import { eventually, httpTarget, smtpSink } from '@status-page/testing'
import type { Browser, Page } from 'playwright-core'
import t from 'tap'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import { colourViolationsOn, overflowOf, violationsOn } from '../kit/page-assertions.ts'
import { startWorld } from '../kit/world.ts'

const PASSWORD = 'correct horse battery'

const server = await smtpSink(t)
const { stack } = await startWorld(t, { env: { SMTP_URL: server.url, REGISTRATION: 'closed' } })
const { baseUrl, setupUrl } = stack

/** Link of the latest mail to the address; the body is encoded as quoted-printable. */
const mailedLink = async (address: string, path: string): Promise<string> => {
  let link = ''
  await eventually(() => {
    const raw = server.mails.findLast(({ to }) => to.includes(address))?.raw ?? ''
    const text = raw.replaceAll(/=\r?\n/g, '')
    link = new RegExp(`${RegExp.escape(baseUrl + path)}[\\w-]+`).exec(text)?.[0] ?? ''
    return link !== ''
  })
  return link
}

const submit = async (page: Page, fields: Record<string, string>): Promise<void> => {
  for (const [name, value] of Object.entries(fields)) await page.fill(`#${name}`, value)
  await page.click('button.b')
}

const withoutScripts = async (browser: Browser): Promise<Page> =>
  (await browser.newContext({ javaScriptEnabled: false })).newPage()

t.test('from the printed link to an invited user', { skip: browserSkipReason }, async (t) => {
  const browser = await openBrowser(t)
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

  const cookie = (await owner.context().cookies())
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ')
  await fetch(`${baseUrl}/api/v1/organization/invitations`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'eve@acme.test' }),
  })
  const invited = await withoutScripts(browser)
  const invitation = await mailedLink('eve@acme.test', '/invitations/')
  await invited.goto(invitation)
  await submit(invited, { name: 'Eve', password: PASSWORD })
  t.match(await invited.textContent('main'), 'Acme')

  await invited.click('button.b')
  await invited.goto(`${baseUrl}/forgot-password`)
  await submit(invited, { email: 'eve@acme.test' })
  await invited.goto(await mailedLink('eve@acme.test', '/reset-password/'))
  await submit(invited, { newPassword: `${PASSWORD} 2` })
  await submit(invited, { email: 'eve@acme.test', password: `${PASSWORD} 2` })
  t.equal(invited.url(), `${baseUrl}/account`)
})

const paths = [
  '/',
  '/sign-in',
  '/sign-in/sso',
  '/register',
  '/forgot-password',
  '/invitations/x',
  '/setup?token=x',
]
/** Another colour scheme can only add violations of colours. */
const variants = [
  { colorScheme: 'light', width: 320, violationsIn: violationsOn },
  { colorScheme: 'light', width: 1440, violationsIn: violationsOn },
  { colorScheme: 'dark', width: 390, violationsIn: colourViolationsOn },
] as const
const memberPaths = ['/account', '/account/new-page', '/account/two-factor', '/account/pages/x']

t.test(
  'axe finds nothing, and no page is wider than a phone',
  { skip: browserSkipReason },
  async (t) => {
    const browser = await openBrowser(t)
    const page = await browser.newPage()
    for (const path of [...paths, ...memberPaths]) {
      if (path === memberPaths[0]) {
        await page.goto(`${baseUrl}/sign-in`)
        await submit(page, { email: 'ana@acme.test', password: PASSWORD })
      }
      await page.goto(`${baseUrl}${path}`)
      for (const { colorScheme, width, violationsIn } of variants) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 800 })
        t.same(await violationsIn(page), [], `${path} ${colorScheme} ${width}`)
        t.equal(await overflowOf(page), 0, `${path} ${width}`)
      }
    }
  },
)
