/** Git with real servers, benign and hostile: the result is a small regular file or a reason. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { outboundPolicy } from '@status-page/outbound'
import {
  GIT_HOST as HOST,
  hasSshd,
  httpsGit,
  makeRepository,
  sshGit,
  temporaryFolder,
} from '@status-page/testing'
import t from 'tap'
import type { Remote } from './remote.ts'
import { type GitContext, type Repository, withRepository } from './repository.ts'
import type { GitAccess } from './workspace.ts'

const PATH = 'statuspage.yaml'
const none: GitAccess = { kind: 'none' }

const folder = await temporaryFolder(t)
const server = await httpsGit(t, folder)
const repository = await makeRepository(folder)
const first = await repository.write(PATH, 'apiVersion: v1\n')
/** The name resolves only with the resolver of the policy; any other resolver fails. */
const policy = outboundPolicy({
  allowCidrs: ['127.0.0.0/8'],
  ownHosts: [],
  resolver: { resolve: async () => ['127.0.0.1'] },
})
const parent = await temporaryFolder(t)
const isUsable = async () => true
const context: GitContext = { policy, authorities: [server.authority], parent, isUsable }

const at = (name: string): Remote => {
  const url = `https://${HOST}:${server.port}/${name}.git`
  return { scheme: 'https', url, host: HOST, port: server.port, name }
}
const remote = at('acme/status')

const fetched =
  (branch = 'main', path = PATH) =>
  (one: Repository) =>
    one.fetch(branch).then(async (commit) => ({ commit, file: await one.readFile(commit, path) }))

const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: { reason?: string; message: string }) => error.reason ?? error.message,
  )

t.test('a branch and its file are fetched over https from the allowed address only', async (t) => {
  const { commit, file } = await withRepository(context, { remote, access: none }, fetched())
  t.equal(commit, first)
  t.equal(file?.text.toString(), 'apiVersion: v1\n')
  t.equal(await withRepository(context, { remote, access: none }, (one) => one.head('main')), first)
  t.equal(await withRepository(context, { remote, access: none }, (one) => one.head('other')), null)
  t.same(await readdir(parent), [], 'the workspace is removed')
})

t.test('the token is sent as a header; without it the reason is auth_failed', async (t) => {
  const token = Buffer.from('x-access-token:s3cret').toString('base64')
  server.demand(`Basic ${token}`)
  t.teardown(() => server.demand(null))
  const access: GitAccess = { kind: 'password', user: 'x-access-token', password: 's3cret' }
  t.equal((await withRepository(context, { remote, access }, fetched())).commit, first)
  t.equal(
    await reasonOf(withRepository(context, { remote, access: none }, fetched())),
    'auth_failed',
  )
  const wrong: GitAccess = { ...access, password: 'other' }
  t.equal(
    await reasonOf(withRepository(context, { remote, access: wrong }, fetched())),
    'auth_failed',
  )
})

t.test('a missing branch, file and repository have their own reasons', async (t) => {
  t.equal(
    await reasonOf(withRepository(context, { remote, access: none }, fetched('gone'))),
    'branch_not_found',
  )
  await repository.git('push', '--quiet', 'origin', 'HEAD:refs/tags/only-a-tag')
  const tag = withRepository(context, { remote, access: none }, fetched('only-a-tag'))
  t.equal(await reasonOf(tag), 'branch_not_found', 'a tag is not a branch')
  const absent = at('acme/none')
  t.equal(
    await reasonOf(withRepository(context, { remote: absent, access: none }, fetched())),
    'repository_not_found',
  )
  const { file } = await withRepository(
    context,
    { remote, access: none },
    fetched('main', 'other.yaml'),
  )
  t.equal(file, null)
})

t.test('links, submodules, folders and large files are rejected', async (t) => {
  const hostile = await makeRepository(folder, 'acme/hostile')
  await hostile.write('big.yaml', Buffer.alloc(256 * 1024 + 1, 'a'))
  await hostile.write('folder.yaml/inner.yaml', 'x: 1\n')
  await hostile.link('link.yaml', '/etc/passwd')
  await hostile.link('up', '/etc')
  await hostile.git('update-index', '--add', '--cacheinfo', `160000,${first},module.yaml`)
  await hostile.git('commit', '--quiet', '-m', 'A submodule')
  await hostile.git('push', '--quiet', 'origin', 'HEAD')
  const ask = (path: string) =>
    reasonOf(
      withRepository(context, { remote: at('acme/hostile'), access: none }, fetched('main', path)),
    )
  t.equal(await ask('link.yaml'), 'not_a_file')
  t.equal(await ask('module.yaml'), 'not_a_file')
  t.equal(await ask('folder.yaml'), 'not_a_file')
  t.equal(await ask('big.yaml'), 'too_large')
  t.equal(await ask('*.yaml'), 'none', 'a pattern is a literal name')
  const through = await withRepository(
    context,
    { remote: at('acme/hostile'), access: none },
    fetched('main', 'up/hosts.yaml'),
  )
  t.equal(through.file, null, 'a linked folder is not followed')
})

t.test('names that look like options or commands are harmless', async (t) => {
  const marker = join(folder, 'marker')
  for (const name of [
    `--upload-pack=touch ${marker}`,
    `-x;touch ${marker}`,
    `$(touch ${marker})`,
  ]) {
    t.not(
      await reasonOf(withRepository(context, { remote, access: none }, fetched(name))),
      'none',
      name,
    )
    const url = { ...remote, url: name }
    t.not(
      await reasonOf(withRepository(context, { remote: url, access: none }, fetched())),
      'none',
      name,
    )
    t.equal(
      await reasonOf(withRepository(context, { remote, access: none }, fetched('main', name))),
      'none',
    )
  }
  for (const url of [
    `file://${repository.bare}`,
    repository.bare,
    `ext::sh -c "touch ${marker}"`,
  ]) {
    t.equal(
      await reasonOf(
        withRepository(context, { remote: { ...remote, url }, access: none }, fetched()),
      ),
      'git_failed',
    )
  }
  t.notOk(existsSync(marker))
})

t.test('a redirect is not followed', async (t) => {
  const asked: string[] = []
  t.teardown(() => server.answerWith(null))
  server.answerWith(({ url = '' }, response) => {
    asked.push(url)
    const location = `https://${HOST}:${server.port}/inside/info/refs?service=git-upload-pack`
    response.writeHead(302, { location }).end()
  })
  t.equal(
    await reasonOf(withRepository(context, { remote, access: none }, fetched())),
    'redirected',
  )
  t.notOk(asked.some((url) => url.startsWith('/inside')))
})

t.test('an address that became private is not connected to', async (t) => {
  const before = server.requests.length
  const strict = outboundPolicy({
    allowCidrs: [],
    ownHosts: [],
    resolver: { resolve: async () => ['127.0.0.1'] },
  })
  const asked = withRepository({ ...context, policy: strict }, { remote, access: none }, fetched())
  t.equal(await reasonOf(asked), 'blocked')
  t.equal(server.requests.length, before)
})

t.test('without a supported git no repository is accessed', async (t) => {
  const asked = withRepository(
    { ...context, isUsable: async () => false },
    { remote, access: none },
    fetched(),
  )
  t.equal(await reasonOf(asked), 'git_unavailable')
})

t.test('a host with an untrusted certificate is rejected', async (t) => {
  const { authority } = await httpsGit(t, await temporaryFolder(t))
  const asked = withRepository(
    { ...context, authorities: [authority] },
    { remote, access: none },
    fetched(),
  )
  t.equal(await reasonOf(asked), 'certificate')
})

t.test('an endless or silent server ends with the timeout', async (t) => {
  t.teardown(() => server.answerWith(null))
  const short: GitContext = { ...context, limits: { timeoutMs: 1_500 } }
  server.answerWith(() => {})
  t.equal(await reasonOf(withRepository(short, { remote, access: none }, fetched())), 'timeout')
  server.answerWith((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' })
    const drip = setInterval(() => response.write('0'), 20)
    response.on('close', () => clearInterval(drip))
  })
  t.not(await reasonOf(withRepository(short, { remote, access: none }, fetched())), 'none')
})

t.test('a repository beyond the size limit is aborted', async (t) => {
  const large = await makeRepository(folder, 'acme/large')
  await large.write('noise.bin', randomBytes(2 * 1024 * 1024))
  await large.write(PATH, 'apiVersion: v1\n')
  const tight: GitContext = { ...context, limits: { maxRepositoryBytes: 512 * 1024 } }
  t.equal(
    await reasonOf(withRepository(tight, { remote: at('acme/large'), access: none }, fetched())),
    'too_large',
  )
})

t.test('one file is changed on its own branch, the rest of the commit stays', async (t) => {
  const text = Buffer.from('apiVersion: v1\nkind: StatusPageConfig\n')
  await repository.write('README.md', 'Read me\n')
  const result = await withRepository(context, { remote, access: none }, async (one) => {
    const parent = await one.fetch('main')
    const author = { name: 'Status page', email: 'status@example.com' }
    const change = { parent, path: PATH, text, message: 'Offer\n\n- a line\n', author }
    const commit = await one.commitFile(change)
    await one.push(commit, 'status-page/changes')
    return { commit, parent }
  })
  const show = (...args: string[]) => repository.bareGit(...args)
  t.equal(await show('rev-parse', 'status-page/changes'), result.commit)
  t.equal(await show('rev-parse', 'status-page/changes^'), result.parent)
  t.equal(await show('diff', '--name-only', result.parent, result.commit), PATH)
  t.equal(await show('show', `${result.commit}:${PATH}`), text.toString().trim())
  t.equal(
    await show('log', '-1', '--format=%an <%ae>', result.commit),
    'Status page <status@example.com>',
  )
})

t.test('ssh requires the known host and the key', { skip: !hasSshd && 'no sshd' }, async (t) => {
  const place = await temporaryFolder(t)
  const server = await sshGit(t, place)
  const other = await makeRepository(place)
  const commit = await other.write(PATH, 'over: ssh\n')
  const url = `ssh://${server.user}@${HOST}:${server.port}${other.bare}`
  const ssh: Remote = { scheme: 'ssh', url, host: HOST, port: server.port, name: 'acme/status' }
  const knownHosts = `[${HOST}]:${server.port} ${server.hostKey}`
  const key: GitAccess = { kind: 'key', privateKey: server.privateKey.trim(), knownHosts }
  const result = await withRepository(context, { remote: ssh, access: key }, fetched())
  t.equal(result.commit, commit)
  t.equal(result.file?.text.toString(), 'over: ssh\n')
  const stranger = await sshGit(t, await temporaryFolder(t))
  const changed: GitAccess = { ...key, knownHosts: `[${HOST}]:${server.port} ${stranger.hostKey}` }
  t.equal(
    await reasonOf(withRepository(context, { remote: ssh, access: changed }, fetched())),
    'host_key',
  )
  const withoutHosts: GitAccess = { ...key, knownHosts: '' }
  t.equal(
    await reasonOf(withRepository(context, { remote: ssh, access: withoutHosts }, fetched())),
    'host_key',
  )
  const refused: GitAccess = { ...key, privateKey: stranger.privateKey }
  t.equal(
    await reasonOf(withRepository(context, { remote: ssh, access: refused }, fetched())),
    'auth_failed',
  )
  const bad: GitAccess = { ...key, privateKey: 'no key at all' }
  t.not(await reasonOf(withRepository(context, { remote: ssh, access: bad }, fetched())), 'none')
})
