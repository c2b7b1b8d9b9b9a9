/** The agent with a service that speaks its protocol and targets on this machine. */
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AgentResult, AgentTarget } from '@status-page/contracts'
import { hashToken } from '@status-page/secrets/hash'
import { sealBox } from '@status-page/secrets/key-box'
import { eventually, httpTarget } from '@status-page/testing'
import t, { type Test } from 'tap'
import { type AgentOptions, runAgent } from './agent.ts'

const COMPONENT = '019a3c5e-7b1f-7c2a-9d4e-0000000000c1'
const WITNESS = '019a3c5e-7b1f-7c2a-9d4e-0000000000c2'
const ids = { id: COMPONENT, organizationId: COMPONENT, location: 'private:office' }

/** Service with targets by component; `status` is that of all its replies, null for none. */
const fakeService = async (t: Test, targetUrls: Record<string, string>) => {
  const service = await httpTarget(t)
  const state = {
    status: 200 as number | null,
    publicKeys: [] as string[],
    tokenHashes: [] as string[],
    results: [] as AgentResult[],
    /** Replies wait for it. */
    held: Promise.resolve(),
  }
  const targetOf = (componentId: string): AgentTarget => ({
    componentId,
    version: 1,
    intervalSeconds: 1,
    timeoutMs: 500,
    probe: {
      kind: 'http',
      url: targetUrls[componentId] ?? '',
      method: 'GET',
      body: null,
      conditions: [],
      headers: [
        {
          name: 'X-Key',
          value: null,
          sealedValue: sealBox('s3cret', state.publicKeys.at(-1) ?? '', `${componentId}:x-key`),
        },
      ],
    },
  })
  const reply = (url: string, body: string): object => {
    if (url.endsWith('/agents')) {
      const { publicKey, tokenHash } = JSON.parse(body)
      state.publicKeys.push(publicKey)
      state.tokenHashes.push(tokenHash)
      return ids
    }
    if (url.endsWith('/assignments')) {
      const targets = Object.keys(targetUrls).map((componentId) => ({ componentId, version: 1 }))
      return { version: 'a', now: new Date().toISOString(), pollSeconds: 1, targets }
    }
    if (url.endsWith('/targets')) return { targets: JSON.parse(body).componentIds.map(targetOf) }
    state.results.push(...JSON.parse(body).results)
    return { accepted: 1, ignored: 0 }
  }
  service.respond(async ({ url, body }, response) => {
    await state.held
    const { status } = state
    if (status === null) return void response.destroy()
    return {
      status,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(
        status === 200
          ? reply(url, body.toString())
          : { error: { code: 'SERVICE_UNAVAILABLE', message: 'not now' } },
      ),
    }
  })
  return { service, state }
}

const world = async (
  t: Test,
  given: Partial<AgentOptions> = {},
  others: Record<string, string> = {},
) => {
  const target = await httpTarget(t)
  const { service, state } = await fakeService(t, { [COMPONENT]: target.url, ...others })
  const folder = await mkdtemp(join(tmpdir(), 'agent-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const stateFile = join(folder, 'state/agent.json')
  const lines: string[] = []
  const start = (more: Partial<AgentOptions> = {}) => {
    const stopping = new AbortController()
    const ended = runAgent({
      url: service.url,
      stateFile,
      readEnrolmentToken: async () => 'enrolment',
      name: 'agent',
      version: '0.1.0',
      allow: ['127.0.0.0/8'],
      signal: stopping.signal,
      log: (line) => lines.push(line),
      ...given,
      ...more,
    })
    t.teardown(() => stopping.abort())
    return { ended, stop: () => stopping.abort() }
  }
  return { target, service, state, stateFile, lines, start }
}

t.test('an agent enrols once, checks at the slots and opens sealed headers', async (t) => {
  const { target, state, stateFile, start } = await world(t)
  const first = start()
  await eventually(() => state.results.length > 0)
  first.stop()
  await first.ended
  const [result] = state.results
  t.match(result, { componentId: COMPONENT, result: { status: 'SUCCESS', statusCode: 200 } })
  t.equal(target.requests[0]?.headers['x-key'], 's3cret')
  t.equal((await stat(stateFile)).mode & 0o777, 0o600)
  const stored = JSON.parse(await readFile(stateFile, 'utf8'))
  t.equal(hashToken(stored.token), state.tokenHashes[0])
  const again = start({
    readEnrolmentToken: async () => {
      throw new Error('enrolled already')
    },
  })
  const count = state.results.length
  await eventually(() => state.results.length > count)
  again.stop()
  await again.ended
  t.equal(state.tokenHashes.length, 1)
})

t.test('results of the time without a connection are sent once, with their slots', async (t) => {
  const { target, state, lines, start } = await world(t)
  const agent = start()
  await eventually(() => state.results.length > 0)
  state.status = 503
  await eventually(() => lines.some((line) => line.startsWith('no connection')))
  const before = state.results.length
  const checked = target.requests.length
  await eventually(() => target.requests.length >= checked + 3)
  state.status = 200
  await eventually(() => state.results.length >= before + 3, { timeoutMs: 20_000 })
  agent.stop()
  await agent.ended
  const slots = state.results.map(({ slotAt }) => slotAt)
  t.equal(new Set(slots).size, slots.length)
  t.same(slots, slots.toSorted())
})

t.test('all requests of an agent share one connection', async (t) => {
  const { service, state, start } = await world(t)
  const agent = start()
  await eventually(() => state.results.length > 3, { timeoutMs: 20_000 })
  agent.stop()
  await agent.ended
  t.ok(service.requests.length > 6)
  t.equal(service.connections(), 1)
})

t.test('results that a stopped agent could not send are sent by the next one', async (t) => {
  const { target, state, lines, start } = await world(t)
  const agent = start()
  await eventually(() => state.results.length > 0)
  state.status = 503
  await eventually(() => lines.some((line) => line.startsWith('no connection')))
  const sent = state.results.length
  const checked = target.requests.length
  await eventually(() => target.requests.length >= checked + 2)
  agent.stop()
  await agent.ended
  t.equal(state.results.length, sent)
  t.match(lines.at(-1), /results are sent at the next start/)
  state.status = 200
  const next = start()
  await eventually(() => state.results.length >= sent + 2)
  next.stop()
  await next.ended
  const slots = state.results.map(({ slotAt }) => slotAt)
  t.equal(new Set(slots).size, slots.length)
})

t.test('an agent that starts without a connection checks its last targets', async (t) => {
  const { target, state, stateFile, start } = await world(t)
  const agent = start()
  await eventually(() => state.results.length > 0)
  agent.stop()
  await agent.ended
  state.status = null
  const checked = target.requests.length
  const next = start()
  await eventually(() => target.requests.length >= checked + 2)
  t.equal(target.requests.at(-1)?.headers['x-key'], 's3cret')
  const sent = state.results.length
  state.status = 200
  await eventually(() => state.results.length >= sent + 2, { timeoutMs: 20_000 })
  const folder = dirname(stateFile)
  const file = (await readdir(folder)).find((name) => name.endsWith('-targets.json')) ?? ''
  t.equal((await stat(join(folder, file))).mode & 0o777, 0o600)
  t.notMatch(await readFile(join(folder, file), 'utf8'), /s3cret/)
  state.status = 401
  await t.rejects(next.ended, /revoked/)
  t.notOk((await readdir(folder)).includes(file))
})

const NEVER = () => new Promise<undefined>(() => {})
const failuresOf = (results: readonly AgentResult[], componentId: string) =>
  results.filter((one) => one.componentId === componentId && one.result.status !== 'SUCCESS')

t.test('checks while the agent had lost its network have no data', async (t) => {
  const { target, state, lines, start } = await world(t)
  const agent = start()
  await eventually(() => state.results.length > 0)
  state.status = null
  target.respond(NEVER)
  const checked = target.requests.length
  await eventually(() => target.requests.length >= checked + 4)
  state.status = 200
  target.respond({})
  const before = state.results.length
  await eventually(() => state.results.length > before + 1, { timeoutMs: 20_000 })
  await eventually(() => lines.some((line) => /have no data: the network/.test(line)))
  agent.stop()
  await agent.ended
  t.same(failuresOf(state.results, COMPONENT), [])
})

t.test('a failure counts while another host responds or the service refuses', async (t) => {
  const witness = await httpTarget(t)
  const others = { [WITNESS]: `http://localhost:${witness.port}` }
  const { target, state, start } = await world(t, {}, others)
  const agent = start()
  const isChecked = (id: string) => state.results.some(({ componentId }) => componentId === id)
  await eventually(() => isChecked(COMPONENT) && isChecked(WITNESS))
  for (const status of [null, 503]) {
    state.status = status
    target.respond(NEVER)
    const checked = target.requests.length
    await eventually(() => target.requests.length >= checked + 3)
    target.respond({})
    state.status = 200
    const failed = failuresOf(state.results, COMPONENT).length
    await eventually(() => failuresOf(state.results, COMPONENT).length >= failed + 2, {
      timeoutMs: 20_000,
    })
  }
  agent.stop()
  await agent.ended
  t.same(failuresOf(state.results, WITNESS), [])
})

t.test('a failure before a late reply counts while the target still fails', async (t) => {
  const { target, state, start } = await world(t)
  const agent = start()
  await eventually(() => state.results.length > 0)
  for (const isLost of [true, false]) {
    const reply = Promise.withResolvers<void>()
    state.held = reply.promise
    target.respond(NEVER)
    const checked = target.requests.length
    await eventually(() => target.requests.length >= checked + 3)
    if (isLost) target.respond({})
    await eventually(() => target.requests.length >= checked + 5)
    state.held = Promise.resolve()
    reply.resolve()
    const before = state.results.length
    await eventually(() => state.results.length > before + 1, { timeoutMs: 20_000 })
    t.equal(failuresOf(state.results, COMPONENT).length > 0, !isLost)
  }
  agent.stop()
  await agent.ended
})

t.test('an address that the agent does not allow is blocked', async (t) => {
  const { target, state, start } = await world(t, { allow: ['10.0.0.0/8'] })
  const agent = start()
  await eventually(() => state.results.length > 0)
  agent.stop()
  await agent.ended
  t.match(state.results[0]?.result, { status: 'ERROR', error: 'blocked' })
  t.equal(target.requests.length, 0)
})

t.test('a revoked agent ends, and wrong networks are refused at the start', async (t) => {
  const { state, start } = await world(t)
  const agent = start()
  await eventually(() => state.results.length > 0)
  state.status = 401
  await t.rejects(agent.ended, /revoked/)
  for (const network of ['10.0.0.5/8', '0.0.0.0/0', 'intranet']) {
    await t.rejects(start({ allow: [network] }).ended, /--allow/, network)
  }
})
