/** A sync fetches the branch, applies its document as config_sync and records the result. */
import { createHmac } from 'node:crypto'
import { AppError, conflict, gitSyncOperations, invalid } from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import t from 'tap'
import { DOCUMENT, gitSyncKit } from './git-sync.fixture.ts'
import { gitSyncJobs } from './jobs.ts'

const kit = await gitSyncKit(t)
const one = { resourceType: 'component', resourceName: 'API' } as const
const applied = (change: object = {}) => ({
  applied: true,
  dryRun: false,
  configVersion: '7',
  created: [],
  updated: [],
  deleted: [],
  unchanged: 1,
  warnings: [],
  ...change,
})
const hexOf = (secret: string, body: string) =>
  createHmac('sha256', secret).update(body).digest('hex')
const pushOf = (branch: string) => JSON.stringify({ ref: `refs/heads/${branch}` })

/** Organization with Git sync for its own repository. */
const synced = async (change: object = {}) => {
  const repository = await kit.repository()
  const organization = kit.as()
  const { status, body } = await organization.set({ repositoryUrl: repository.url, ...change })
  if (status !== 201) throw new Error(JSON.stringify(body))
  const hookId = String(body.webhookUrl).split('/').at(-1) ?? ''
  const deliver = (text: string, headers?: Record<string, string>) =>
    kit.hook(hookId, text, headers ?? { 'x-signature-256': hexOf(body.webhookSecret, text) })
  return { ...organization, repository, settings: body, hookId, deliver }
}

t.beforeEach(() => {
  kit.script.apply = async () => applied()
  kit.documents.length = 0
})

t.test('a manual sync applies the document and records the result', async (t) => {
  const { sync, history, read, repository, organizationId, audit } = await synced()
  kit.script.apply = async () =>
    applied({
      created: [one],
      updated: [
        { ...one, fields: ['url'] },
        { ...one, fields: [] },
      ],
    })
  const response = await sync()
  t.match(response, { status: 202, body: { status: 'queued', trigger: 'manual', commit: null } })
  t.match(await sync(), {
    status: 409,
    body: { error: { details: { reason: 'already_running' } } },
  })
  await kit.run('git-sync')
  t.match(await history(), [
    {
      id: response.body.id,
      status: 'success',
      trigger: 'manual',
      commit: repository.commit,
      configVersion: '7',
      changes: { created: 1, updated: 2, deleted: 0 },
      reason: null,
      error: null,
      finishedAt: String,
    },
  ])
  t.match(await read(), { lastSyncStatus: 'success', lastSyncAt: String })
  const [{ caller, document } = { caller: null, document: null }] = kit.documents
  t.equal(document?.text, DOCUMENT)
  t.equal(document?.commit, repository.commit)
  t.match(caller, { organizationId, actor: { type: 'config_sync' }, grants: { kind: 'key' } })
  t.same(
    (await audit()).map(({ action }) => action),
    ['git_sync.create', 'config.sync', 'config.sync'],
  )
})

t.test('a failed sync has a reason without text of the remote', async (t) => {
  const { sync, history, repository } = await synced({ configPath: 'other.yaml' })
  await sync()
  await kit.run('git-sync')
  await repository.write('other.yaml', Buffer.from([0xff, 0xfe, 0x00]))
  await sync()
  await kit.run('git-sync')
  await repository.write('other.yaml', DOCUMENT)
  kit.script.apply = async () => {
    throw invalid(
      Object.assign({ field: 'spec', message: 'spec is wrong' }, { line: 3, column: 5 }),
    )
  }
  await sync()
  await kit.run('git-sync')
  kit.script.apply = async () => {
    throw new AppError('FORBIDDEN', 'Missing permission: components:write')
  }
  await sync()
  await kit.run('git-sync')
  kit.script.apply = async () => {
    throw new Error('swordfish')
  }
  await sync()
  await kit.run('git-sync')
  const results = (await history()).map(({ status, reason, error }: Record<string, string>) => [
    status,
    reason,
    error,
  ])
  t.same(results.reverse(), [
    ['failed', 'file_not_found', 'The branch has no file at configPath'],
    ['failed', 'invalid_document', 'The file is not encoded in UTF-8'],
    ['failed', 'invalid_document', 'line 3, column 5: spec is wrong'],
    ['failed', 'not_applied', 'Missing permission: components:write'],
    ['failed', 'not_applied', 'An unexpected error occurred'],
  ])
})

t.test('a verified push of the branch is accepted once, and only with autoSync', async (t) => {
  const { deliver, history, hookId } = await synced({ autoSync: true })
  const push = pushOf('main')
  t.match(await deliver(push), { status: 202, body: { accepted: true } })
  t.match(await deliver(pushOf('other')), { status: 202, body: { accepted: false } })
  t.match(await deliver('no json'), { status: 202, body: { accepted: false } })
  await kit.run('git-sync')
  const runs = await history()
  t.match(runs, [{ status: 'no_changes', trigger: 'webhook' }])
  const refusals = [
    await deliver(push, { 'x-signature-256': hexOf('another', push) }),
    await deliver(push, {}),
    await kit.hook('0'.repeat(32), push, { 'x-signature-256': hexOf('x', push) }),
    await kit.hook('no-id', push, {}),
    await kit.hook(hookId, `${push} `, { 'x-signature-256': hexOf('another', push) }),
  ]
  for (const { status, body } of refusals) {
    t.equal(status, 401)
    t.same(body, refusals[0]?.body)
  }
  const silent = await synced({ autoSync: false })
  t.match(await silent.deliver(push), { status: 202, body: { accepted: false } })
  t.same(await silent.history(), [])
})

t.test(
  'fifty webhooks cause one running and one queued sync; a repeated delivery causes none',
  async (t) => {
    const { deliver, history, settings } = await synced({ autoSync: true })
    const push = pushOf('main')
    const signed = { 'x-signature-256': hexOf(settings.webhookSecret, push) }
    const deliveries = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        deliver(push, { ...signed, 'webhook-id': `w${index}` }),
      ),
    )
    t.ok(deliveries.every(({ status, body }) => status === 202 && body.accepted))
    t.equal((await history()).length, 1)
    t.match(await deliver(push, { ...signed, 'webhook-id': 'w7' }), { body: { accepted: false } })
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    kit.script.apply = async () => {
      await gate
      return applied()
    }
    const running = kit.run('git-sync')
    await eventually(async () => (await history())[0]?.status === 'running')
    await deliver(push, { ...signed, 'webhook-id': 'again' })
    await deliver(push, { ...signed, 'webhook-id': 'and again' })
    t.same(
      (await history()).map(({ status }: { status: string }) => status),
      ['queued', 'running'],
    )
    open()
    await running
    await kit.run('git-sync')
    t.same(
      (await history()).map(({ status }: { status: string }) => status),
      ['no_changes', 'no_changes'],
    )
  },
)

t.test(
  'a run whose process died starts again after its lease, until the attempts are exhausted',
  async (t) => {
    const { sync, history } = await synced()
    await sync()
    await kit.admin`UPDATE config_sync.git_sync_runs SET status = 'running', owner = gen_random_uuid(),
    lease_until = now() + interval '30 seconds', attempts = 1 WHERE status = 'queued'`
    await kit.run('git-sync')
    t.match(await history(), [{ status: 'running' }])
    kit.clock.advance(31_000)
    await kit.run('git-sync')
    t.match(await history(), [{ status: 'no_changes' }])
    await sync()
    await kit.admin`UPDATE config_sync.git_sync_runs SET status = 'running', owner = gen_random_uuid(),
    lease_until = now() - interval '1 second', attempts = 5 WHERE status = 'queued'`
    kit.documents.length = 0
    await kit.run('git-sync')
    t.match((await history())[0], { status: 'failed', reason: 'not_applied', error: /interrupted/ })
    t.same(kit.documents, [], 'no attempt was made')
  },
)

t.test('the changes of an interrupted attempt are counted by the next', async (t) => {
  const { sync, history } = await synced()
  t.teardown(() => {
    kit.script.changed = null
  })
  kit.script.changed = { createdCount: 3, updatedCount: 0, deletedCount: 0 }
  await sync()
  await kit.run('git-sync')
  t.match((await history())[0], { status: 'no_changes' }, 'a first attempt has no predecessor')
  await sync()
  await kit.admin`UPDATE config_sync.git_sync_runs SET status = 'running', owner = gen_random_uuid(),
    lease_until = now() - interval '1 second', attempts = 1 WHERE status = 'queued'`
  await kit.run('git-sync')
  t.match((await history())[0], { status: 'success', changes: { created: 3, updated: 0 } })
})

t.test(
  'transient failures are retried a limited number of times, including a concurrent apply',
  async (t) => {
    const { sync, history, repository } = await synced({ autoSync: true })
    const refusals = [
      conflict('already_running', 'Another apply is running'),
      new AppError('SERVICE_UNAVAILABLE', 'core is not available'),
    ]
    kit.script.apply = async () => {
      const refusal = refusals.shift()
      if (refusal !== undefined) throw refusal
      return applied()
    }
    await sync()
    for (const status of ['running', 'running', 'no_changes']) {
      await kit.run('git-sync')
      t.match((await history())[0], { status, error: null })
      kit.clock.advance(11_000)
    }
    await repository.write('statuspage.yaml', `${DOCUMENT}# more\n`)
    kit.script.apply = async () => {
      throw new AppError('SERVICE_UNAVAILABLE', 'core is not available')
    }
    await sync()
    for (let turn = 0; turn < 5; turn++) {
      await kit.run('git-sync')
      kit.clock.advance(11_000)
    }
    t.match((await history())[0], { status: 'failed', error: 'The service was not available' })
    kit.clock.advance(16 * 60_000)
    await kit.run('git-poll')
    t.match(
      (await history())[0],
      { status: 'queued', trigger: 'poll' },
      'its commit is not recorded',
    )
  },
)

t.test('the state of one repository is not stored for another', async (t) => {
  const { sync, ask, organizationId } = await synced()
  const other = await kit.repository()
  kit.script.apply = async () => {
    await ask(gitSyncOperations.update, { body: { repositoryUrl: other.url } })
    return applied()
  }
  await sync()
  await kit.run('git-sync')
  const [row] = await kit.admin`SELECT * FROM config_sync.git_syncs
    WHERE organization_id = ${organizationId}`
  t.match(row, { repository_url: other.url, last_commit: null, applied_blob: null })
})

t.test('a shutdown releases the run at once', async (t) => {
  const { sync, history } = await synced()
  const stopping = new AbortController()
  kit.script.apply = async () => {
    stopping.abort()
    throw new AppError('SERVICE_UNAVAILABLE', 'core is not available')
  }
  await sync()
  await kit.run('git-sync', stopping.signal)
  t.match(await history(), [{ status: 'running' }])
  kit.script.apply = async () => applied()
  kit.clock.advance(1_000)
  await kit.run('git-sync')
  t.match(await history(), [{ status: 'no_changes' }])
})

t.test('a poll recovers a lost webhook; a poll of the same commit does nothing', async (t) => {
  const { sync, history, repository } = await synced({ autoSync: true })
  await sync()
  await kit.run('git-sync')
  kit.clock.advance(16 * 60_000)
  await kit.run('git-poll')
  t.equal((await history()).length, 1)
  const commit = await repository.write('statuspage.yaml', `${DOCUMENT}# more\n`)
  kit.clock.advance(16 * 60_000)
  await kit.run('git-poll')
  await kit.run('git-sync')
  t.match((await history())[0], { trigger: 'poll', status: 'no_changes', commit })
})

t.test('runs are stored for ninety days', async (t) => {
  const { sync, history } = await synced()
  await sync()
  await kit.run('git-sync')
  kit.clock.advance(89 * 86_400_000)
  await kit.run('git-sync-retention')
  t.equal((await history()).length, 1)
  kit.clock.advance(2 * 86_400_000)
  await kit.run('git-sync-retention')
  t.equal((await history()).length, 0)
})

t.test('tenants whose syncs stall delay no other tenant', async (t) => {
  const stalled = await Promise.all(Array.from({ length: 10 }, () => synced()))
  const [job] = gitSyncJobs({ ...kit.deps, slowAfterMs: 50 })
  const run = async () => job?.run(new AbortController().signal)
  const count = async (status: string) => {
    const rows = await kit.admin`SELECT FROM config_sync.git_sync_runs WHERE status = ${status}`
    return rows.length
  }
  for (const { sync } of stalled) await sync()
  await run()

  const good = await synced()
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  t.teardown(open)
  kit.script.apply = async ({ organizationId }) => {
    if (organizationId !== good.organizationId) await gate
    return applied()
  }
  for (const { sync } of stalled) await sync()
  await good.sync()
  const running = run()
  const isDone = async () => (await good.history())[0]?.status === 'no_changes'
  await eventually(isDone, { timeoutMs: 60_000 })
  t.equal(await count('queued'), 2, 'eight of the tenants that were slow before run at once')
  open()
  await running
  t.equal((await count('running')) + (await count('queued')), 0)
})
