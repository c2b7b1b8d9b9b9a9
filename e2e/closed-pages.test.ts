/**
 * Status pages with restricted access: for visitors without access they are indistinguishable from
 * unknown pages.
 */
import {
  authOperations,
  isStatusPageOperation,
  pageLiveOperations,
  publicOperations,
  statusPageOperations,
  type Visibility,
} from '@status-page/contracts'
import t from 'tap'
import { type Api, type ApiResponse, pathOf } from './kit/api.ts'
import { apiOperations, UNKNOWN_ID } from './kit/samples.ts'
import { PASSWORD, register } from './kit/tenant.ts'
import { startWorld } from './kit/world.ts'

const world = await startWorld(t)
const ours = await register(world.api, 'closed')
const theirs = await register(world.api, 'not-closed')

const readOperations = apiOperations.filter(
  (candidate) =>
    candidate.method === 'GET' &&
    isStatusPageOperation(candidate) &&
    candidate.path.startsWith('/public/'),
)

/** The response without the parts that differ between any two requests. */
const comparable = ({ status, headers, text }: ApiResponse) => ({
  status,
  text,
  headers: [...headers].filter(
    ([name]) => !['x-request-id', 'date'].includes(name) && !name.startsWith('x-ratelimit-'),
  ),
})

let pageCount = 0
const pageFor = async (visibility: Visibility, more: object = {}) => {
  const slug = `closed-${++pageCount}`
  const body = { name: slug, slug, isPublished: true, visibility, ...more }
  return ours.api.call(statusPageOperations.create, { body })
}

const readPage = (by: Api, slug: string) =>
  Promise.all(
    readOperations.map((candidate) => {
      const params = Object.fromEntries(
        Object.keys(candidate.params?.properties ?? {}).map((name) => [name, UNKNOWN_ID]),
      )
      return by.send('GET', pathOf(candidate, { params: { ...params, slug } } as object))
    }),
  )

const status = (by: Api, slug: string) => by.request(publicOperations.status, { params: { slug } })

t.test(
  'callers without access to a page get, byte for byte, the response of an unknown slug',
  async (t) => {
    const pages = [
      await pageFor('members'),
      await pageFor('ip_allowlist', { allowedIpRanges: ['203.0.113.0/24'] }),
      await pageFor('public', { isPublished: false }),
    ]
    const spoofed = {
      'x-internal-address': '203.0.113.1',
      'x-forwarded-for': '203.0.113.1',
      'x-organization-id': ours.identity.organization.id,
    }
    const strangers: Record<string, Api> = {
      anonymous: world.api,
      'a caller with a forged address': world.api.with(spoofed),
      'a member of another organization': theirs.session,
      'a key of the organization': ours.api,
    }
    for (const [who, stranger] of Object.entries(strangers)) {
      const unknown = (await readPage(stranger, 'unknown-slug')).map(comparable)
      for (const { slug, visibility } of pages) {
        t.same(
          (await readPage(stranger, slug)).map(comparable),
          unknown,
          `${who} at a page for ${visibility}`,
        )
      }
    }
  },
)

t.test('a member can read a page for members while the session is valid', async (t) => {
  const { slug } = await pageFor('members')
  const cookies = await world.api.request(authOperations.login, {
    body: { email: ours.email, password: PASSWORD },
  })
  const cookie = cookies.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  const member = world.api.with({ cookie })
  const seen = await status(member, slug)
  t.equal(seen.status, 200, seen.text)
  t.equal(seen.headers.get('cache-control'), 'no-store')
  t.equal(seen.headers.get('access-control-allow-origin'), null)
  t.same(seen.headers.getSetCookie(), [])
  await member.call(authOperations.logout)
  t.equal((await status(member, slug)).status, 404)
})

t.test('an allowed address can read a page with an IP allowlist', async (t) => {
  const { slug } = await pageFor('ip_allowlist', { allowedIpRanges: ['127.0.0.0/8', '::1/128'] })
  t.equal((await status(world.api, slug)).status, 200)
})

t.test('a password gives access to its page only, until the password changes', async (t) => {
  const password = 'open, please, now'
  const [page, other] = [
    await pageFor('password', { password }),
    await pageFor('password', { password }),
  ]
  t.same(
    new Set((await readPage(world.api, page.slug)).map((response) => response.status)),
    new Set([401]),
  )
  const enter = (password: string) =>
    world.api.request(publicOperations.access, { params: page, body: { password } })
  t.equal((await enter('not this one')).status, 401)
  const entered = await enter(password)
  t.equal(entered.status, 200, entered.text)
  const cookie = entered.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  t.match(cookie, /^page_access=/)
  const visitor = world.api.with({ cookie: `theme=dark; ${cookie}` })
  t.equal((await status(visitor, page.slug)).status, 200)
  t.equal((await status(visitor, other.slug)).status, 401)
  const live = `${world.stack.baseUrl}${pathOf(pageLiveOperations.live, { params: page })}`
  const follow = () => fetch(live, { headers: { cookie } })
  t.equal((await fetch(live)).status, 401)
  const followed = await follow()
  t.equal(followed.status, 200)
  await ours.api.call(statusPageOperations.update, {
    params: { id: page.id },
    body: { password: 'something else now' },
  })
  t.equal((await status(visitor, page.slug)).status, 401)
  t.match(await followed.text(), /\ndata: [\w-]+\n\n$/, 'the event stream has ended')
  t.equal((await follow()).status, 401)
})
