/**
 * Webhooks are accepted with the signature header of their own provider only, over the raw body.
 */
import { createHmac } from 'node:crypto'
import { signBody, signStandard } from '@status-page/secrets'
import t from 'tap'
import type { WebhookHeaders } from './provider.ts'
import { providers } from './providers.ts'

const secret = 'the-secret-of-the-hook'
const former = 'the-former-secret'
const secrets = [secret, former]
const body = Buffer.from('{ "ref": "refs/heads/main",\n"deleted":false }')
const now = new Date('2026-01-02T03:04:05.000Z')
const seconds = now.getTime() / 1000

const isSigned = (provider: keyof typeof providers, headers: WebhookHeaders, bytes = body) =>
  providers[provider].isSigned({ headers, body: bytes }, secrets, now)

const hexHeaders = {
  github: ['x-hub-signature-256', 'sha256='],
  bitbucket: ['x-hub-signature', 'sha256='],
  generic: ['x-signature-256', ''],
} as const

t.test("GitHub's published vector is accepted", async (t) => {
  const signature = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
  const request = {
    headers: { 'x-hub-signature-256': `sha256=${signature}` },
    body: Buffer.from('Hello, World!'),
  }
  t.ok(providers.github.isSigned(request, ["It's a Secret to Everybody"], now))
})

t.test('a hex signature covers the exact bytes, complete and in lower case', async (t) => {
  for (const [name, [header, prefix]] of Object.entries(hexHeaders)) {
    const provider = name as keyof typeof hexHeaders
    const good = signBody(secret, body)
    const wrong = [
      good.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')),
      good.toUpperCase(),
      good.slice(0, 63),
      `${good}0`,
      `${good}, ${prefix}${good}`,
      '',
    ]
    t.ok(isSigned(provider, { [header]: prefix + good }), name)
    t.ok(isSigned(provider, { [header]: prefix + signBody(former, body) }), 'the previous secret')
    for (const text of wrong) t.notOk(isSigned(provider, { [header]: prefix + text }), text)
    const again = Buffer.from(JSON.stringify(JSON.parse(body.toString())))
    t.notOk(isSigned(provider, { [header]: prefix + good }, again), 're-serialised')
    t.notOk(isSigned(provider, { [header]: [prefix + good, prefix + good] }), 'twice')
    t.notOk(isSigned(provider, {}), 'absent')
    const old = createHmac('sha1', secret).update(body).digest('hex')
    t.notOk(isSigned(provider, { [header]: `sha1=${old}`, 'x-hub-signature': `sha1=${old}` }))
  }
})

t.test('GitLab is verified by its token or by a signature of the last five minutes', async (t) => {
  t.ok(isSigned('gitlab', { 'x-gitlab-token': secret }))
  t.ok(isSigned('gitlab', { 'x-gitlab-token': former }))
  for (const token of [`${secret} `, secret.slice(1), '', former + secret]) {
    t.notOk(isSigned('gitlab', { 'x-gitlab-token': token }), token)
  }
  const signed = (timestamp: number) => ({
    'webhook-id': 'w1',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signStandard(secret, { id: 'w1', timestamp, body }),
  })
  t.ok(isSigned('gitlab', signed(seconds - 299)))
  t.notOk(isSigned('gitlab', signed(seconds - 301)))
  t.notOk(isSigned('gitlab', { ...signed(seconds), 'webhook-id': 'w2' }))
})

t.test("no provider accepts another's signature", async (t) => {
  const hex = signBody(secret, body)
  const proofs: Record<keyof typeof providers, WebhookHeaders> = {
    github: { 'x-hub-signature-256': `sha256=${hex}` },
    gitlab: { 'x-gitlab-token': secret },
    bitbucket: { 'x-hub-signature': `sha256=${hex}` },
    generic: { 'x-signature-256': hex },
  }
  for (const [name, headers] of Object.entries(proofs)) {
    for (const provider of Object.keys(providers) as (keyof typeof providers)[]) {
      t.equal(isSigned(provider, headers), provider === name, `${name} at ${provider}`)
    }
  }
})

t.test('only a push of the branch triggers a sync', async (t) => {
  const means = (provider: keyof typeof providers, headers: WebhookHeaders, body: unknown) =>
    providers[provider].webhookKindOf(headers, body, 'main')
  const ref = 'refs/heads/main'
  const push = { 'x-github-event': 'push' }
  t.equal(means('github', push, { ref }), 'push')
  t.equal(means('github', { 'x-github-event': 'ping' }, { zen: 'x' }), 'ping')
  t.equal(means('github', push, { ref, deleted: true }), 'other')
  t.equal(means('github', push, { ref: 'refs/tags/main' }), 'other')
  t.equal(means('github', push, { ref: 'refs/heads/other' }), 'other')
  t.equal(means('github', { 'x-github-event': 'issues' }, { ref }), 'other')
  const hook = { 'x-gitlab-event': 'Push Hook' }
  t.equal(means('gitlab', hook, { ref, after: 'a'.repeat(40) }), 'push')
  t.equal(means('gitlab', hook, { ref, after: '0'.repeat(40) }), 'other')
  t.equal(means('gitlab', { 'x-gitlab-event': 'Tag Push Hook' }, { ref }), 'other')
  const changes = (...news: unknown[]) => ({ push: { changes: news.map((one) => ({ new: one })) } })
  const cloud = { 'x-event-key': 'repo:push' }
  t.equal(means('bitbucket', cloud, changes(null, { type: 'branch', name: 'main' })), 'push')
  t.equal(means('bitbucket', cloud, changes({ type: 'tag', name: 'main' })), 'other')
  t.equal(means('bitbucket', cloud, changes(null)), 'other')
  const server = { 'x-event-key': 'repo:refs_changed' }
  t.equal(means('bitbucket', server, { changes: [{ ref: { id: ref }, type: 'UPDATE' }] }), 'push')
  t.equal(means('bitbucket', server, { changes: [{ ref: { id: ref }, type: 'DELETE' }] }), 'other')
  t.equal(means('bitbucket', { 'x-event-key': 'diagnostics:ping' }, {}), 'ping')
  t.equal(means('generic', {}, { ref }), 'push')
  for (const body of [null, [], 'main', 1, { ref: [ref] }, { push: { changes: 'x' } }]) {
    for (const provider of Object.keys(providers) as (keyof typeof providers)[]) {
      t.equal(means(provider, { ...push, ...hook, ...cloud }, body), 'other')
    }
  }
})
