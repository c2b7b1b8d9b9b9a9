/** Rules of identity: slugs, passwords, login delay, cross-site requests. */
import type { Method } from '@status-page/contracts'
import t from 'tap'
import { isSameSite, needsSameSite } from '../sessions/cross-site.ts'
import {
  ABSOLUTE_LIMIT_MS,
  IDLE_LIMIT_MS,
  isSessionAlive,
  sessionCookie,
} from '../sessions/session-cookie.ts'
import {
  blockDurationMs,
  countLoginAttempt,
  type LoginFailures,
  noLoginFailures,
} from './login-delay.ts'
import { organizationSlugFrom, validatePassword } from './rules.ts'

t.test('a slug is the name in short, or a word for one without letters', async (t) => {
  const cases: [string, string][] = [
    ['Ácme & Söhne GmbH', 'acme-sohne-gmbh'],
    ['日本', 'organization'],
    ['x'.repeat(100), 'x'.repeat(40)],
    [`${'x'.repeat(39)} y`, 'x'.repeat(39)],
  ]
  for (const [name, slug] of cases) t.equal(organizationSlugFrom(name), slug, name)
})

t.test('the e-mail address is refused as password, in any case', async (t) => {
  const input = { email: 'ana@example.com', isCommon: false }
  t.throws(() => validatePassword({ ...input, password: 'ANA@example.com' }))
  t.doesNotThrow(() => validatePassword({ ...input, password: 'ana@example.org' }))
})

const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1) + minutes * 60_000)

const failing = (times: readonly number[]) => {
  let state: LoginFailures = noLoginFailures
  const refused = times.filter((minutes) => {
    const verdict = countLoginAttempt(state, at(minutes))
    if (verdict.allowed) state = verdict.next
    return !verdict.allowed
  })
  return { state, refused }
}

t.test('the tenth failure in 15 minutes blocks logins for a minute', async (t) => {
  const { state, refused } = failing([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9.5])
  t.same(refused, [9.5])
  t.same(state.blockedUntil, at(10))
})

t.test('failures older than 15 minutes do not count', async (t) => {
  t.same(failing([0, 0, 0, 0, 0, 0, 0, 0, 0, 15, 15, 15]).refused, [])
})

t.test('each failure after a block doubles it, up to 15 minutes', async (t) => {
  t.same(
    [1, 2, 3, 4, 5, 6].map(blockDurationMs),
    [1, 2, 4, 8, 15, 15].map((m) => m * 60_000),
  )
  const ten = Array(10).fill(0)
  t.same(failing([...ten, 1]).state.blockedUntil, at(3))
  t.same(failing([...ten, 1, 3]).state.blockedUntil, at(7))
  t.same(failing([...ten, 1, 3, 7, 15]).state.blocks, 5)
})

t.test('failures are reset 15 minutes after the last block', async (t) => {
  const { state } = failing([...Array(10).fill(0), 16])
  t.equal(state.blocks, 0)
  t.equal(state.failedAt.length, 1)
})

t.test(
  'writes with a session, and operations that replace it, require a same-site request',
  async (t) => {
    const cases: [string, Method, 'key' | 'session' | 'none', boolean][] = [
      ['components.create', 'POST', 'session', true],
      ['components.update', 'PATCH', 'session', true],
      ['components.remove', 'DELETE', 'session', true],
      ['components.list', 'GET', 'session', false],
      ['components.create', 'POST', 'key', false],
      ['subscriptions.unsubscribe', 'POST', 'none', false],
      ['auth.login', 'POST', 'none', true],
      ['auth.register', 'POST', 'key', true],
      ['auth.logout', 'POST', 'none', true],
      ['account-pages.submitSetup', 'POST', 'none', true],
      ['account-pages.setup', 'GET', 'none', false],
    ]
    for (const [id, method, credential, needs] of cases) {
      t.equal(needsSameSite({ id, method }, credential), needs, `${id} ${credential}`)
    }
  },
)

t.test('clients without browser headers pass, another origin does not', async (t) => {
  const own = 'https://status.example.com'
  const same = (fetchSite?: string, origin?: string) => isSameSite({ fetchSite, origin }, own)
  t.ok(same())
  t.ok(same(undefined, own))
  t.notOk(same(undefined, 'https://status.example.com.evil.test'))
  t.notOk(same(undefined, 'null'))
  t.ok(same('same-origin', own))
  t.notOk(same('cross-site', own))
  t.notOk(same('same-site'))
})

t.test('a session ends after twelve idle hours or seven days', async (t) => {
  const now = new Date()
  const before = (ms: number) => new Date(now.getTime() - ms)
  const alive = (age: number, idle: number) =>
    isSessionAlive({ createdAt: before(age), lastSeenAt: before(idle) }, now)
  t.ok(alive(ABSOLUTE_LIMIT_MS - 1, IDLE_LIMIT_MS - 1))
  t.notOk(alive(ABSOLUTE_LIMIT_MS, 0))
  t.notOk(alive(IDLE_LIMIT_MS, IDLE_LIMIT_MS))
})

t.test('the cookie is bound to the host over https', async (t) => {
  t.equal(sessionCookie('https://status.example.com').name, '__Host-session')
  t.equal(sessionCookie('http://localhost:8080').name, 'session')
})
