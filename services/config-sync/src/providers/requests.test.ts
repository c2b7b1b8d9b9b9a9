/** Requests to providers follow their documentation; responses are validated. */
import { createVerify, generateKeyPairSync } from 'node:crypto'
import { createOutbound, outboundPolicy } from '@status-page/outbound'
import { httpTarget } from '@status-page/testing'
import t from 'tap'
import type { Remote } from '../git/remote.ts'
import { openCloudPullRequest } from './bitbucket.ts'
import { requestInstallationToken, signAppToken } from './github.ts'
import type { PullRequestDraft } from './provider.ts'

const policy = outboundPolicy({ allowCidrs: ['127.0.0.0/8'], ownHosts: [] })
const outbound = createOutbound({ policy })
t.teardown(() => outbound.close())
const api = await httpTarget(t)
const response = (body: unknown, status = 200) =>
  api.respond({
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const remote: Remote = {
  scheme: 'https',
  host: '127.0.0.1',
  port: api.port,
  name: 'acme/status',
  url: `${api.url}/acme/status.git`,
}

const draft: PullRequestDraft = {
  outbound,
  remote,
  token: 't0ken',
  branch: 'status-page/changes',
  base: 'main',
  title: 'A title',
  description: '- a line',
}

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const app = { appId: '1234', installationId: '5678', privateKey }
const now = new Date('2026-01-02T03:04:05.000Z')

t.test('Bitbucket Cloud gets one pull request, which is updated afterwards', async (t) => {
  const href = 'https://bitbucket.org/acme/status/pull-requests/3'
  const pull = { id: 3, links: { html: { href } } }
  api.respond(({ method }) => ({
    body: JSON.stringify(method === 'GET' ? { values: [] } : pull),
  }))
  t.same(await openCloudPullRequest(draft, api.url), { url: href })
  const [look, change] = api.requests
  const { pathname, searchParams } = new URL(look?.url ?? '', api.url)
  t.equal(pathname, '/repositories/acme/status/pullrequests')
  t.match(searchParams.get('q'), 'source.branch.name="status-page/changes"')
  t.match(change, { method: 'POST', url: pathname, headers: { authorization: 'Bearer t0ken' } })
  t.match(JSON.parse(change?.body ?? ''), {
    title: 'A title',
    source: { branch: { name: 'status-page/changes' } },
    destination: { branch: { name: 'main' } },
    close_source_branch: true,
  })
  api.respond(({ method }) => ({
    body: JSON.stringify(method === 'GET' ? { values: [pull] } : pull),
  }))
  await openCloudPullRequest(draft, api.url)
  t.match(api.requests.at(-1), { method: 'PUT', url: `${pathname}/3` })
})

t.test('an app requests an installation token with its own JWT', async (t) => {
  response({ token: 'ghs_of_the_hour' }, 201)
  t.equal(await requestInstallationToken(outbound, remote, app, now), 'ghs_of_the_hour')
  const request = api.requests.at(-1)
  t.match(request, { method: 'POST', url: '/api/v3/app/installations/5678/access_tokens' })
  const token = signAppToken(app, now)
  t.equal(request?.headers.authorization, `Bearer ${token}`)
  const [head = '', claims = '', signature = ''] = token.split('.')
  const verifier = createVerify('sha256').update(`${head}.${claims}`)
  t.ok(verifier.verify(publicKey, Buffer.from(signature, 'base64url')))
  t.same(JSON.parse(Buffer.from(head, 'base64url').toString()), { alg: 'RS256', typ: 'JWT' })
  const { iat, exp, iss } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  t.equal(iss, '1234')
  t.ok(exp - iat <= 600, 'GitHub accepts ten minutes')
  t.ok(iat < now.getTime() / 1000)
})

t.test('rejected and malformed responses are reasons without text of the provider', async (t) => {
  const nonsense: [unknown, number][] = [
    ...([401, 403, 404, 500] as const).map((status): [unknown, number] => [{ m: 'x' }, status]),
    ...([{}, [], 'text', { token: '' }, { token: 7 }] as const).map((body): [unknown, number] => [
      ...([body, 201] as const),
    ]),
  ]
  for (const [body, status] of nonsense) {
    response(body, status)
    const request = requestInstallationToken(outbound, remote, app, now)
    await t.rejects(request, { message: 'The repository refused the credential' })
  }
  response({ values: [], links: { html: { href: 'javascript:alert(1)' } } })
  await t.rejects(openCloudPullRequest(draft, api.url), { name: 'ApiRefusal' })
  response({ values: 'none', error: 'swordfish' }, 409)
  await t.rejects(openCloudPullRequest(draft, api.url), {
    message: "The provider's API answered with 409",
  })
  const away = {
    ...draft,
    outbound: createOutbound({ policy: outboundPolicy({ allowCidrs: [], ownHosts: [] }) }),
  }
  t.teardown(() => away.outbound.close())
  await t.rejects(openCloudPullRequest(away, api.url), { name: 'GitFailure' })
})
