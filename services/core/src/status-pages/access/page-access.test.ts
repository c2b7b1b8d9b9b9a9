/**
 * Access to a page, for every operation of a page, and no information for clients without access.
 */
import {
  incidentOperations,
  isStatusPageOperation,
  type Operation,
  publicOperations as on,
  operations,
  statusPageOperations,
  systemActor,
} from '@status-page/contracts'
import { newId, transact } from '@status-page/postgres'
import { ADDRESS_HEADER } from '@status-page/service'
import { type InjectOptions, testCaller } from '@status-page/testing'
import { sql } from 'drizzle-orm'
import t, { type Test } from 'tap'
import { coreKit } from '../../core.fixture.ts'

const kit = await coreKit(t)
const PASSWORD = 'correct horse battery'

/** All operations that read data of a page, including ones added later. */
const readings: readonly Operation[] = operations.filter(
  (one) => one.method === 'GET' && isStatusPageOperation(one) && one.path.startsWith('/public/'),
)

const pageOf = async (more: object) => {
  const one = kit.as()
  const slug = `s-${newId().slice(-12)}`
  const body = { name: 'Acme', slug, isPublished: true, ...more }
  const created = await one.request(statusPageOperations.create, { body })
  if (created.status !== 201) throw new Error(JSON.stringify(created.body))
  const { body: incident } = await one.request(incidentOperations.create, { body: { title: 'x' } })
  const change = (patch: object) =>
    one.request(statusPageOperations.update, { params: { id: created.body.id }, body: patch })
  return { ...one, slug, id: created.body.id as string, incidentId: incident.id as string, change }
}

type Page = Awaited<ReturnType<typeof pageOf>>

const look = (operation: Operation, page: Pick<Page, 'slug' | 'incidentId'>, how: InjectOptions) =>
  kit.request(operation, { ...how, params: { slug: page.slug, id: page.incidentId } })

const withoutId = ({ 'x-request-id': _id, date: _date, ...headers }: object & Headers) => headers
type Headers = Record<string, unknown>

/** Checks that each operation responds exactly as it does for an unknown slug. */
const isUnknown = async (t: Test, page: Page, how: InjectOptions, who: string) => {
  for (const operation of readings) {
    const response = await look(operation, page, how)
    const unknown = await look(operation, { ...page, slug: 'nobody-has-this' }, how)
    t.equal(response.status, 404, `${operation.id} for ${who}`)
    t.same(response.body, unknown.body)
    t.same(withoutId(response.headers), withoutId(unknown.headers))
  }
}

const isOpen = async (t: Test, page: Page, how: InjectOptions) => {
  for (const operation of [on.status, on.incidents, on.incident, on.feed, on.badge]) {
    const { status, headers } = await look(operation, page, how)
    t.equal(status, 200, operation.id)
    t.match(headers, { 'cache-control': 'no-store', 'x-robots-tag': 'noindex' }, operation.id)
    t.equal(headers.etag, undefined, operation.id)
  }
}

const from = (address: string): InjectOptions => ({ headers: { [ADDRESS_HEADER]: address } })
const withCookie = (cookie: string): InjectOptions => ({ headers: { cookie } })

const enter = (page: Pick<Page, 'slug'>, password: string) =>
  kit.request(on.access, { params: { slug: page.slug }, body: { password } })

const cookieOf = async (page: Page, password = PASSWORD): Promise<string> => {
  const { status, headers, body } = await enter(page, password)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return String([headers['set-cookie']].flat()[0]).split(';', 1)[0] ?? ''
}

t.test('a page for members is visible only to sessions of its organization', async (t) => {
  const page = await pageOf({ visibility: 'members' })
  const { organizationId } = page
  await isUnknown(t, page, {}, 'nobody')
  await isUnknown(t, page, { caller: testCaller() }, 'a session of another organization')
  const key = testCaller({ organizationId, permissions: ['status-pages:read'] })
  await isUnknown(t, page, { caller: key }, 'a key of its own')
  await isUnknown(t, page, from('127.0.0.1'), 'an address')
  await isOpen(t, page, { caller: testCaller({ organizationId, role: 'VIEWER' }) })
})

t.test('a page restricted to addresses is visible only from these', async (t) => {
  const page = await pageOf({
    visibility: 'ip_allowlist',
    allowedIpRanges: ['203.0.113.0/24', '2001:db8::/48'],
  })
  await isUnknown(t, page, {}, 'no address')
  await isUnknown(t, page, from('203.0.114.1'), 'another network')
  await isUnknown(t, page, from('nonsense'), 'nonsense')
  const member = testCaller({ organizationId: page.organizationId })
  await isUnknown(t, page, { ...from('198.51.100.1'), caller: member }, 'a member elsewhere')
  await isOpen(t, page, from('203.0.113.77'))
  await isOpen(t, page, from('::ffff:203.0.113.77'))
  await isOpen(t, page, from('2001:db8:0:5::1'))
  await page.change({ allowedIpRanges: [] })
  await isUnknown(t, page, from('203.0.113.77'), 'any address, when no network is listed')
})

t.test('a protected page requires its password on every route, until it was entered', async (t) => {
  const page = await pageOf({ visibility: 'password', password: PASSWORD })
  for (const operation of readings) {
    const { status, body, headers } = await look(operation, page, {})
    t.equal(status, 401, operation.id)
    t.equal(body.error.code, 'UNAUTHORIZED')
    t.equal(headers['cache-control'], 'no-store')
  }
  t.equal((await enter(page, 'not this one')).status, 401)
  const { headers, body } = await enter(page, PASSWORD)
  t.same(body, { success: true })
  const cookies = [headers['set-cookie']].flat().map(String)
  t.equal(cookies.length, 2)
  const scoped = `Path=/api/v1/public/status/${page.slug}; Max-Age=86400; HttpOnly; SameSite=Lax; Secure`
  t.match(cookies[0], scoped)
  t.match(cookies[1], `Path=/status/${page.slug}; `)
  await isOpen(t, page, withCookie(await cookieOf(page)))
})

t.test('the cookie opens its page for a day, until the password changes', async (t) => {
  const page = await pageOf({ visibility: 'password', password: PASSWORD })
  const other = await pageOf({ visibility: 'password', password: PASSWORD })
  const cookie = await cookieOf(page)
  const isLet = async (value: string, on_ = page) =>
    (await look(on.status, on_, withCookie(value))).status === 200
  t.equal(await isLet(cookie), true)
  t.equal(await isLet(cookie, other), false, 'not another page')
  const [, expiresAt = '', mac = ''] = /=(\d+)\.(.+)$/.exec(cookie) ?? []
  const forged = [
    `page_access=${Number(expiresAt) + 1}.${mac}`,
    `page_access=${expiresAt}.${mac.toLowerCase()}`,
    `page_access=${expiresAt}.`,
    `page_access=.${mac}`,
    `${cookie}x`,
    `other=1; ${cookie}`,
  ]
  for (const value of forged) t.equal(await isLet(value), false, 'forged')
  await page.change({ name: 'Renamed', password: PASSWORD })
  t.equal(await isLet(cookie), true, 'the same password set again is not a change')
  await page.change({ password: 'another password' })
  t.equal(await isLet(cookie), false, 'another password')
  const last = await cookieOf(page, 'another password')
  kit.clock.advance(24 * 3_600_000 - 5_000)
  t.equal(await isLet(last), true)
  kit.clock.advance(10_000)
  t.equal(await isLet(last), false, 'a day later')
})

t.test('a page without a password has no password route', async (t) => {
  const unknown = await enter({ slug: 'nobody-has-this' }, PASSWORD)
  t.equal(unknown.status, 404)
  const pages = [
    await pageOf({}),
    await pageOf({ visibility: 'members', password: PASSWORD }),
    await pageOf({ visibility: 'password', password: PASSWORD, isPublished: false }),
  ]
  for (const page of pages) {
    const response = await enter(page, PASSWORD)
    t.same([response.status, response.body], [404, unknown.body])
    t.equal(response.headers['set-cookie'], undefined)
  }
  t.equal((await enter(pages[0] as Page, '')).status, 400)
})

t.test('a hundred wrong passwords block further attempts, not the page', async (t) => {
  const page = await pageOf({ visibility: 'password', password: PASSWORD })
  const cookie = await cookieOf(page)
  const setAttempts = (attempts: number) =>
    transact(kit.database, { organizationId: page.organizationId, actor: systemActor }, (scope) =>
      scope.tx
        .execute(sql`UPDATE page_access_attempts SET attempts = ${attempts}`)
        .then(() => ({ result: undefined })),
    )
  await setAttempts(99)
  t.equal((await enter(page, PASSWORD)).status, 200, 'the correct one is not counted')
  t.equal((await enter(page, 'not this one')).status, 401)
  const refused = await enter(page, PASSWORD)
  t.equal(refused.status, 429)
  t.match(refused.body.error, {
    code: 'RATE_LIMIT_EXCEEDED',
    details: { limit: 100, window: '900s', bucket: 'page access' },
  })
  t.ok(Number(refused.headers['retry-after']) > 800)
  t.equal((await look(on.status, page, withCookie(cookie))).status, 200)
  kit.clock.advance(15 * 60_000)
  t.equal((await enter(page, PASSWORD)).status, 200, 'a window later')
})

t.test('a hidden page is not indexed; a public page may be cached', async (t) => {
  const page = await pageOf({ allowIndexing: false })
  const hidden = await look(on.status, page, {})
  t.equal(hidden.headers['x-robots-tag'], 'noindex')
  t.match(hidden.headers['cache-control'], 'public, max-age=30')
  await page.change({ allowIndexing: true })
  const shown = await look(on.status, page, { caller: testCaller() })
  t.equal(shown.headers['x-robots-tag'], undefined)
  t.same(shown.body, (await look(on.status, page, from('203.0.113.1'))).body)
})

t.test(
  'a page that was closed in the meantime stays closed, whatever the If-None-Match',
  async (t) => {
    const page = await pageOf({})
    const { headers } = await look(on.status, page, {})
    await page.change({ visibility: 'members' })
    const again = await look(on.status, page, {
      headers: { 'if-none-match': String(headers.etag) },
    })
    t.equal(again.status, 404)
    t.equal(again.headers['cache-control'], 'no-store')
  },
)
