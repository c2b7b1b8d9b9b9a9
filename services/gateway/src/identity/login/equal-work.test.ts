/** Cost of a failed login: one comparison in every case, limited concurrency, a bounded queue. */
import { stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createPasswords } from '@status-page/secrets'
import { eventually, httpTarget } from '@status-page/testing'
import t, { type Test } from 'tap'
import { logIn, ssoOrganization } from '../../access/single-sign-on/single-sign-on.fixture.ts'
import { asMember, password, testGateway } from '../../gateway.fixture.ts'
import { addMember, callApi, newEmail } from '../../organization.fixture.ts'

// The module that the service uses for hashing, so that its own comparisons are counted.
const bcrypt: { compare(password: string, hash: string): Promise<boolean> } = createRequire(
  import.meta.resolve('@status-page/secrets'),
)('bcrypt')

/** Counts comparisons and their maximum concurrency. */
const watchCompares = (t: Test) => {
  const { compare } = bcrypt
  const seen = { compares: 0, running: 0, most: 0 }
  t.intercept(bcrypt, 'compare', {
    value: async (candidate: string, hash: string) => {
      seen.compares++
      seen.running++
      seen.most = Math.max(seen.most, seen.running)
      try {
        return await compare(candidate, hash)
      } finally {
        seen.running--
      }
    },
  })
  return seen
}

t.test('every failed login costs one comparison and returns the same response', async (t) => {
  const { gateway, owner, idp, slug } = await ssoOrganization(t, 'example.com')
  const member = await addMember(gateway, owner, 'MEMBER')
  const formerMember = await addMember(gateway, owner, 'MEMBER')
  const path = `/organization/members/${formerMember.identity.user.id}`
  t.equal((await callApi(gateway, `DELETE ${path}`, asMember(owner))).statusCode, 200)
  const ssoOnly = newEmail()
  t.equal((await logIn(gateway, slug, idp, { id: 's', email: ssoOnly })).statusCode, 303)
  const { email } = member.identity.user
  const logins: Record<string, { email: string; password: string }> = {
    'unknown address': { email: newEmail(), password },
    'no address at all': { email: 'nobody', password },
    'wrong password': { email, password: 'something else' },
    'longer than any password': { email, password: 'x'.repeat(73) },
    'account without a password': { email: ssoOnly, password },
    'account that belongs nowhere': { email: formerMember.identity.user.email, password },
    'organization that asks for its provider': { email, password },
  }
  await callApi(gateway, 'PATCH /organization', asMember(owner), { ssoEnforced: true })
  const seen = watchCompares(t)
  for (const line of ['POST /auth/login', 'POST /auth/check-2fa']) {
    const bodies = new Set<string>()
    for (const [name, payload] of Object.entries(logins)) {
      seen.compares = 0
      const response = await callApi(gateway, line, {}, payload)
      t.equal(response.statusCode, 401, `${line}: ${name}`)
      t.equal(seen.compares, 1, `${line}: ${name} costs one comparison`)
      bodies.add(response.body)
    }
    t.equal(bodies.size, 1, 'all failures have the same body')
  }
})

t.test(
  'two of fifty concurrent logins are compared at a time, and all get a response',
  async (t) => {
    const gateway = await testGateway(t)
    const seen = watchCompares(t)
    const logIn = () => callApi(gateway, 'POST /auth/login', {}, { email: newEmail(), password })
    const responses = await Promise.all(Array.from({ length: 50 }, logIn))
    t.equal(seen.most, 2)
    const refused = responses.filter(({ statusCode }) => statusCode === 503)
    t.equal(responses.filter(({ statusCode }) => statusCode === 401).length, seen.compares)
    t.equal(seen.compares + refused.length, 50)
    for (const { headers } of refused) t.ok(Number(headers['retry-after']) >= 1)
  },
)

t.test('a full queue refuses with 503 and Retry-After, and accepts again afterwards', async (t) => {
  const gateway = await testGateway(t)
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  const { compare } = bcrypt
  let compared = 0
  t.intercept(bcrypt, 'compare', {
    value: async (candidate: string, hash: string) => {
      compared++
      await opened
      return compare(candidate, hash)
    },
  })
  const logIn = () => callApi(gateway, 'POST /auth/login', {}, { email: newEmail(), password })
  let answered = 0
  const logins = Array.from({ length: 50 }, async () => {
    const response = await logIn()
    answered++
    return response
  })
  // Two comparisons run and 32 requests wait; all other requests are refused at once.
  await eventually(() => answered === 50 - 34)
  t.equal(compared, 2)
  open()
  const responses = await Promise.all(logins)
  const refused = responses.filter(({ statusCode }) => statusCode === 503)
  t.equal(refused.length, 16)
  for (const one of refused) {
    t.match(one.json(), { error: { code: 'SERVICE_UNAVAILABLE' } })
    t.equal(one.headers['retry-after'], '1')
  }
  t.equal(responses.filter(({ statusCode }) => statusCode === 401).length, 34)
  t.equal((await logIn()).statusCode, 401)
})

t.test('cached pages and files are served while hashing is saturated', async (t) => {
  const core = await httpTarget(t, {
    headers: { 'content-type': 'text/html', 'cache-control': 'public, max-age=30', etag: '"one"' },
    body: 'the page',
  })
  // Hashes of the real cost, which occupy the threads.
  const doubles = { passwords: createPasswords() }
  const gateway = await testGateway(t, { CORE_URL: core.url }, doubles)
  const page = () => gateway.http.inject({ url: '/status/acme' })
  t.equal((await page()).body, 'the page')
  const seen = watchCompares(t)
  const load = { isOver: false }
  const keepLoggingIn = async () => {
    while (!load.isOver) {
      await callApi(gateway, 'POST /auth/login', {}, { email: newEmail(), password })
    }
  }
  const logins = Array.from({ length: 20 }, keepLoggingIn)
  await eventually(() => seen.running === seen.most && seen.compares > 4)
  const before = seen.compares
  for (let read = 0; read < 100; read++) {
    const response = await page()
    await stat(import.meta.filename)
    if (response.body !== 'the page') t.fail(response.body)
  }
  const during = seen.compares - before
  load.isOver = true
  await Promise.all(logins)
  t.ok(during < 50, `100 pages and file reads took the time of ${during} hashes`)
})
