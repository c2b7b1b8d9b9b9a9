/** The agent with a service that speaks its protocol and targets on this machine. */
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentResult, AgentTarget } from '@status-page/contracts'
import { hashToken } from '@status-page/secrets/hash'
import { sealBox } from '@status-page/secrets/key-box'
import { eventually, httpTarget } from '@status-page/testing'
import t, { type Test } from 'tap'
import { type AgentOptions, runAgent } from './agent.ts'

t.setTimeout(60_000)

const COMPONENT = '019a3c5e-7b1f-7c2a-9d4e-0000000000c1'
const ids = { id: COMPONENT, organizationId: COMPONENT, location: 'private:office' }

/** Service with one target; `status` is that of all its replies. */
const fakeService = async (t: Test, targetUrl: string) => {
  const service = await httpTarget(t)
  const state = {
    status: 200,
    publicKeys: [] as string[],
    tokenHashes: [] as string[],
    results: [] as AgentResult[],
  }
  const targetOf = (): AgentTarget => ({
    componentId: COMPONENT,
    version: 1,
    intervalSeconds: 1,
    timeoutMs: 500,
    probe: {
      kind: 'http',
      url: targetUrl,
      method: 'GET',
      body: null,
      conditions: [],
      headers: [
        {
          name: 'X-Key',
          value: null,
          sealedValue: sealBox('s3cret', state.publicKeys.at(-1) ?? '', `${COMPONENT}:x-key`),
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
      const targets = [{ componentId: COMPONENT, version: 1 }]
      return { version: 'a', now: new Date().toISOString(), pollSeconds: 1, targets }
    }
    if (url.endsWith('/targets')) return { targets: [targetOf()] }
    state.results.push(...JSON.parse(body).results)
    return { accepted: 1, ignored: 0 }
  }
  service.respond(({ url, body }) => ({
    status: state.status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(
      state.status === 200
        ? reply(url, body.toString())
        : { error: { code: 'SERVICE_UNAVAILABLE', message: 'not now' } },
    ),
  }))
  return { service, state }
}

const world = async (t: Test, given: Partial<AgentOptions> = {}) => {
  const target = await httpTarget(t)
  const { service, state } = await fakeService(t, target.url)
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
