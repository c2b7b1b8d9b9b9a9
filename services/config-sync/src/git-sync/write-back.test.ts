/**
 * Changes made outside of the repository are proposed once and updated; after their merge nothing
 * is proposed.
 */
import {
  type ConfigDrift,
  draftEvent,
  integrationUpdated,
  invalid,
  REDACTED,
} from '@status-page/contracts'
import t from 'tap'
import { DOCUMENT, gitSyncKit } from './git-sync.fixture.ts'
import { PROPOSAL_BRANCH } from './settings.ts'

const kit = await gitSyncKit(t)
const changed = `${DOCUMENT}metadata:\n  name: changed\n`
const modified: ConfigDrift['drift'] = [
  { resourceType: 'component', resourceName: 'A`P`I', reason: 'modified', fields: ['url'] },
  { resourceType: 'component', resourceName: 'New', reason: 'not_in_config', fields: [] },
]
const token = Buffer.from('git:t0ken').toString('base64')

t.beforeEach(() => {
  kit.script.drift = []
  kit.script.exported = DOCUMENT
  kit.documents.length = 0
})

/** Settings with write-back and one sync; write-backs of other tests are not due. */
const withWriteBack = async (change: object = {}) => {
  await kit.admin`DELETE FROM config_sync.git_syncs`
  const repository = await kit.repository()
  const organization = kit.as()
  const { status, body } = await organization.set({
    repositoryUrl: repository.url,
    authMethod: 'token',
    credential: { token: 't0ken' },
    writeBack: true,
    ...change,
  })
  if (status !== 201) throw new Error(JSON.stringify(body))
  await organization.sync()
  await kit.run('git-sync')
  const writeBack = async () => {
    kit.clock.advance(16 * 60_000)
    await kit.run('git-poll')
    await kit.run('git-write-back')
  }
  const proposed = () => repository.bareGit('rev-parse', PROPOSAL_BRANCH).catch(() => null)
  return { ...organization, repository, writeBack, proposed }
}

const stated = (id: string, version: number) =>
  draftEvent(
    integrationUpdated,
    { id, version },
    { integration: { id, name: 'metrics-eu', type: 'datadog' } },
  )

t.test('nothing is proposed without changes', async (t) => {
  const { writeBack, proposed, read } = await withWriteBack()
  await writeBack()
  t.equal(await proposed(), null)
  t.equal((await read()).proposal, null)
})

t.test('a change is proposed as a branch once, and again when it changes', async (t) => {
  const { writeBack, proposed, read, repository, history, audit } = await withWriteBack()
  kit.script.drift = modified
  kit.script.exported = changed
  await writeBack()
  const first = await proposed()
  const show = (...args: string[]) => repository.bareGit(...args)
  t.equal(await show('show', `${PROPOSAL_BRANCH}:statuspage.yaml`), changed.trim())
  t.equal(await show('rev-parse', `${PROPOSAL_BRANCH}^`), repository.commit)
  t.match(
    await show('log', '-1', '--format=%an%n%B', PROPOSAL_BRANCH),
    /^Status page\nStatus page: ch/,
  )
  t.match(
    await show('log', '-1', '--format=%B', PROPOSAL_BRANCH),
    "- component `A'P'I` was changed: url",
  )
  t.match(await read(), {
    proposal: { branch: PROPOSAL_BRANCH, url: null, error: null, proposedAt: String },
  })
  t.match((await audit()).at(-1), { action: 'git_sync.update', changes: { proposal: {} } })
  await writeBack()
  t.equal(await proposed(), first, 'the same change is not proposed again')
  await show('branch', '-D', PROPOSAL_BRANCH)
  await writeBack()
  t.equal(await proposed(), null, 'a declined proposal is not repeated')
  kit.script.exported = `${changed}# more\n`
  await writeBack()
  t.not(await proposed(), null)
  t.equal((await history()).length, 1, 'it causes no sync')
})

t.test('after the merge a sync changes nothing and nothing is proposed', async (t) => {
  const { writeBack, proposed, repository, sync, history } = await withWriteBack()
  kit.script.drift = modified
  kit.script.exported = changed
  await writeBack()
  await repository.git('fetch', '--quiet', 'origin', PROPOSAL_BRANCH)
  await repository.git('merge', '--quiet', 'FETCH_HEAD')
  await repository.git('push', '--quiet', 'origin', 'HEAD:main')
  await repository.bareGit('branch', '-D', PROPOSAL_BRANCH)
  await sync()
  await kit.run('git-sync')
  t.match((await history())[0], { status: 'no_changes' })
  kit.script.drift = []
  await writeBack()
  t.equal(await proposed(), null)
})

t.test('a repository that is ahead is applied first', async (t) => {
  const { writeBack, proposed, repository, history } = await withWriteBack({ autoSync: true })
  await repository.write('statuspage.yaml', `${DOCUMENT}# by hand\n`)
  kit.script.drift = modified
  kit.script.exported = changed
  await writeBack()
  t.equal(await proposed(), null)
  t.match((await history())[0], { status: 'queued', trigger: 'poll' })

  const { apply } = kit.script
  t.teardown(() => {
    kit.script.apply = apply
  })
  kit.script.apply = async () => {
    throw invalid({ field: 'kind', message: 'kind is required' })
  }
  await kit.run('git-sync')
  t.match((await history())[0], { status: 'failed', reason: 'invalid_document' })
  const before = (await history()).length
  await writeBack()
  await writeBack()
  t.equal((await history()).length, before, 'a rejected document is not retried')
})

t.test('a sync reverts no change that was made through the API and not proposed yet', async (t) => {
  const { sync, history, proposed, repository, writeBack } = await withWriteBack()
  kit.script.drift = modified
  kit.script.exported = changed
  const commit = await repository.write('README.md', '# Status\n')
  await sync()
  await kit.run('git-sync')
  t.match((await history())[0], { status: 'no_changes', commit, reason: null })
  t.equal(kit.documents.length, 1, 'the unchanged document is not applied')
  await writeBack()
  const first = await proposed()
  t.not(first, null)
  await sync()
  await kit.run('git-sync')
  t.equal(kit.documents.length, 1, 'an open proposal is not reverted')

  kit.script.exported = DOCUMENT
  await sync()
  await kit.run('git-sync')
  t.equal(kit.documents.length, 2, 'a new value of a variable is no change to the document')
})

t.test('changes made through the API are proposed before another document', async (t) => {
  const { sync, read, history, proposed, repository, writeBack } = await withWriteBack()
  kit.script.drift = modified
  kit.script.exported = changed
  const commit = await repository.write('statuspage.yaml', `# by hand\n${DOCUMENT}`)
  const { apply } = kit.script
  t.teardown(() => {
    kit.script.apply = apply
  })
  kit.script.apply = async (...args) => {
    t.not(await proposed(), null, 'the branch exists before the apply')
    kit.script.drift = []
    return apply(...args)
  }
  await sync()
  await kit.run('git-sync')
  t.match((await history())[0], { commit, error: null })
  const show = (...args: string[]) => repository.bareGit(...args)
  t.equal(await show('show', `${PROPOSAL_BRANCH}:statuspage.yaml`), `# by hand\n${changed}`.trim())
  t.equal(await show('rev-parse', `${PROPOSAL_BRANCH}^`), commit)
  const first = await proposed()
  await writeBack()
  t.equal(await proposed(), first)

  kit.script.drift = modified
  kit.script.exported = `# by hand\n${DOCUMENT}metadata:\n  name: later\n`
  await writeBack()
  t.equal(await proposed(), first, 'the reverted changes remain proposed')
  const next = `${PROPOSAL_BRANCH}-${commit.slice(0, 7)}`
  t.match((await read()).proposal, { branch: next, error: null })
  t.equal(await show('show', `${next}:statuspage.yaml`), kit.script.exported.trim())
})

t.test('a document is not applied before the changes of the API are proposed', async (t) => {
  const { sync, history, repository } = await withWriteBack({ autoSync: true })
  kit.script.drift = modified
  kit.script.exported = changed
  await repository.bareGit('config', 'http.receivepack', 'false')
  await repository.write('statuspage.yaml', `# by hand\n${DOCUMENT}`)
  await sync()
  await kit.run('git-sync')
  const error = /^Changes made outside of the repository could not be proposed: /
  t.match((await history())[0], { status: 'failed', reason: 'not_applied', error })
  t.equal(kit.documents.length, 1)
  kit.clock.advance(16 * 60_000)
  await kit.run('git-poll')
  t.match((await history())[0], { status: 'queued', trigger: 'poll' }, 'the commit is retried')
})

t.test('a change made through the API while others are proposed is proposed too', async (t) => {
  const { sync, history, repository } = await withWriteBack()
  kit.script.drift = modified
  kit.script.exported = changed
  const commit = await repository.write('statuspage.yaml', `# by hand\n${DOCUMENT}`)
  const later = changed.replace('changed', 'changed again')
  const { apply } = kit.script
  t.teardown(() => {
    kit.script.apply = apply
  })
  kit.script.apply = async (caller, document) => {
    kit.script.exported = later
    await document.validateLiveState()
    return apply(caller, document)
  }
  await sync()
  await kit.run('git-sync')
  t.match((await history())[0], { status: 'running' }, 'the sync is attempted again')
  kit.clock.advance(11_000)
  await kit.run('git-sync')
  t.match((await history())[0], { commit, error: null })
  t.match(await repository.bareGit('show', `${PROPOSAL_BRANCH}:statuspage.yaml`), 'changed again')
})

t.test('a document that was applied through the API is proposed too', async (t) => {
  const { writeBack, proposed } = await withWriteBack()
  kit.documents.push({
    caller: kit.as().caller,
    document: { text: `${DOCUMENT}# another\n`, commit: '' },
  })
  kit.script.exported = changed
  await writeBack()
  t.not(await proposed(), null)
})

t.test('a burst of changes causes one write-back soon', async (t) => {
  const { publish, proposed, organizationId } = await withWriteBack()
  kit.script.drift = modified
  kit.script.exported = changed
  await kit.admin`UPDATE config_sync.git_syncs SET next_poll_at = NULL`
  await publish(stated(organizationId, 1), stated(organizationId, 2))
  await kit.run('git-write-back')
  t.equal(await proposed(), null, 'not immediately')
  kit.clock.advance(21_000)
  await kit.run('git-write-back')
  t.not(await proposed(), null)
})

t.test('each provider gets one pull request, which is updated by later changes', async (t) => {
  const requests: { method: string; url: string; body: object; authorization: string }[] = []
  const open = new Set<string>()
  const answers: Record<string, (method: string) => object> = {
    github: (method) => {
      const pull = { number: 7, html_url: 'https://git.example.com/acme/pull/7' }
      return method === 'GET' ? (open.has('github') ? [pull] : []) : pull
    },
    gitlab: (method) => {
      const request = { iid: 7, web_url: 'https://git.example.com/acme/-/merge_requests/7' }
      return method === 'GET' ? (open.has('gitlab') ? [request] : []) : request
    },
    bitbucket: (method) => {
      const self = [{ href: 'https://git.example.com/projects/A/pull-requests/7' }]
      const pull = { id: 7, version: 3, toRef: { id: 'refs/heads/main' }, links: { self } }
      return method === 'GET' ? { values: open.has('bitbucket') ? [pull] : [] } : pull
    },
  }
  for (const provider of ['github', 'gitlab', 'bitbucket'] as const) {
    kit.script.drift = []
    const { writeBack, read, repository } = await withWriteBack({ provider })
    requests.length = 0
    kit.server.answerApi((request, body) => {
      const { method = '', url = '', headers } = request
      const { authorization = '' } = headers
      requests.push({ method, url, authorization, body: body === '' ? {} : JSON.parse(body) })
      return answers[provider]?.(method)
    })
    t.teardown(() => kit.server.answerApi(null))
    kit.script.drift = modified
    kit.script.exported = changed
    await writeBack()
    t.match(await read(), { proposal: { url: /^https:\/\/git\.example\.com\/.*7$/, error: null } })
    t.same(
      requests.map(({ method }) => method),
      ['GET', 'POST'],
    )
    t.match(requests[1]?.body, { title: /^Status page/ })
    t.match(
      JSON.stringify(requests[1]?.body),
      /status-page\/changes.*main|main.*status-page\/changes/,
    )
    t.ok(requests.every(({ authorization }) => authorization === 'Bearer t0ken'))
    open.add(provider)
    requests.length = 0
    kit.script.exported = `${changed}# more\n`
    await writeBack()
    t.same(
      requests.map(({ method }) => method),
      ['GET', provider === 'github' ? 'PATCH' : 'PUT'],
    )
    t.ok(requests[0]?.url.includes(encodeURIComponent(repository.name).slice(0, 4)))
    kit.server.answerApi(null)
  }
})

t.test('a rejection by the provider is reported with its status only and retried', async (t) => {
  const { writeBack, read } = await withWriteBack({ provider: 'github' })
  kit.server.answerApi(() => 403)
  t.teardown(() => kit.server.answerApi(null))
  kit.script.drift = modified
  kit.script.exported = changed
  await writeBack()
  const { proposal } = await read()
  t.match(proposal, { url: null, error: "The provider's API answered with 403" })
  kit.server.answerApi(({ method }) =>
    method === 'GET' ? [] : { number: 1, html_url: 'https://git.example.com/pull/1' },
  )
  await writeBack()
  t.match(await read(), { proposal: { url: 'https://git.example.com/pull/1', error: null } })
})

t.test('a credential without write permission is reported as an error', async (t) => {
  const { writeBack, read, repository } = await withWriteBack()
  await repository.bareGit('config', 'http.receivepack', 'false')
  kit.script.drift = modified
  kit.script.exported = changed
  await writeBack()
  t.match(await read(), { proposal: { error: 'The repository refused the credential' } })
  t.notMatch(JSON.stringify(await read()), REDACTED)
  t.ok(kit.server.requests.some(({ authorization }) => authorization === `Basic ${token}`))
})
