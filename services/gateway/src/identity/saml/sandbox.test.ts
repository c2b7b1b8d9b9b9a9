/** Sandbox for documents of unauthenticated clients: bounded in time, number and access. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { message, provider } from './message.fixture.ts'
import { createSandbox } from './sandbox.ts'

const certificates = [provider.der]
const HERE = '192.0.2.1'

t.test('a worker reads a message like the main thread', async (t) => {
  const task = { kind: 'response' as const, text: message(), certificates }
  const read = await createSandbox().inspect<'response'>(task, HERE)
  t.match(read, { ok: true, value: { assertion: { nameIds: [{ value: 'ana' }] } } })
})

t.test(
  '20,000 nested elements, a quarter of a megabyte of tags and a bomb are refused',
  async (t) => {
    const sandbox = createSandbox()
    const nested = `${'<a>'.repeat(20_000)}${'</a>'.repeat(20_000)}`
    const cases: [string, string, string][] = [
      ['nested', message().replace('>ana<', `>${nested}<`), 'depth'],
      ['wide', message().replace('>ana<', `>${'<a/>'.repeat(60_000)}<`), 'schema'],
      [
        'bomb',
        `<!DOCTYPE a [<!ENTITY a "${'x'.repeat(9_999)}">]>${'&a;'.repeat(9_999)}`,
        'markup_declaration',
      ],
      [
        'attributes',
        `<a ${Array.from({ length: 20_000 }, (_, at) => `b${at}=""`).join(' ')}/>`,
        'schema',
      ],
    ]
    for (const [name, text, reason] of cases) {
      const read = await sandbox.inspect<'response'>({ kind: 'response', text, certificates }, HERE)
      t.same(read, { ok: false, reason }, name)
    }
  },
)

t.test('the schema validator detects violations', async (t) => {
  const text = message().replace('Version="2.0"', 'Version="2.0" Unknown="1"')
  const read = await createSandbox().inspect<'response'>(
    { kind: 'response', text, certificates },
    HERE,
  )
  t.same(read, { ok: false, reason: 'schema' })
})

t.test('a network uses at most four slots; the others remain for other networks', async (t) => {
  const sandbox = createSandbox()
  const task = { kind: 'metadata' as const, text: '<a/>' }
  const garbage = Array.from({ length: 12 }, (_, at) =>
    sandbox.inspect<'metadata'>(task, `2001:db8:7:${at.toString(16)}::1`),
  )
  const genuine = sandbox.inspect<'response'>(
    { kind: 'response', text: message(), certificates },
    '2001:db8:8::1',
  )
  const results = await Promise.allSettled(garbage)
  const refused = results.filter(({ status }) => status === 'rejected')
  t.equal(refused.length, 8)
  t.match(refused[0], { reason: { code: 'SERVICE_UNAVAILABLE', headers: { 'retry-after': '1' } } })
  t.match(await genuine, { ok: true })
  t.match(await sandbox.inspect<'metadata'>(task, '2001:db8:7::1'), { ok: false }, 'room again')
})

t.test('two documents are read at a time, thirty wait, the next gets 503', async (t) => {
  // Those that have a slot end before their worker has loaded the libraries.
  const sandbox = createSandbox({ durationMs: 1 })
  const task = { kind: 'metadata' as const, text: '<a/>' }
  const results = await Promise.allSettled(
    Array.from({ length: 34 }, (_, at) => sandbox.inspect<'metadata'>(task, `192.0.${at}.1`)),
  )
  const problems = results.map((result) => (result as PromiseRejectedResult).reason.message)
  t.equal(problems.filter((problem) => problem === 'Too many concurrent logins').length, 2)
  t.equal(problems.filter((problem) => problem === 'Reading the document timed out').length, 32)
})

t.test('a document beyond its processor time is 503 with Retry-After', async (t) => {
  const task = { kind: 'response' as const, text: message(), certificates }
  const overloaded = { code: 'SERVICE_UNAVAILABLE', headers: { 'retry-after': '5' } }
  const none = createSandbox({ processorMs: 1 })
  await t.rejects(none.inspect<'response'>(task, HERE), overloaded)
  const stuck = createSandbox({ durationMs: 1 })
  await t.rejects(stuck.inspect<'response'>(task, HERE), overloaded)
})

t.test('time in which other threads use the processor does not count', async (t) => {
  // Busy threads that take most of the processor time from the worker.
  const busy = Array.from(
    { length: 2 * availableParallelism() },
    () => new Worker('for (;;);', { eval: true }),
  )
  try {
    const task = { kind: 'response' as const, text: message(), certificates }
    const read = await createSandbox({ processorMs: 3_000 }).inspect<'response'>(task, HERE)
    t.match(read, { ok: true })
  } finally {
    await Promise.all(busy.map((one) => one.terminate()))
  }
})
