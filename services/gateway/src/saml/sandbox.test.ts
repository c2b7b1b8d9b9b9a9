/** Documents of unknown senders are read apart: bounded in time, number and what they can reach. */
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { message, provider } from './message.fixture.ts'
import { createSandbox } from './sandbox.ts'

t.setTimeout(120_000)

const certificates = [provider.der]
const HERE = '192.0.2.1'

t.test('a message is read as it is without a worker', async (t) => {
  const job = { kind: 'answer' as const, text: message(), certificates }
  const read = await createSandbox().inspect<'answer'>(job, HERE)
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
      const read = await sandbox.inspect<'answer'>({ kind: 'answer', text, certificates }, HERE)
      t.same(read, { ok: false, reason }, name)
    }
  },
)

t.test('the validator is a real one', async (t) => {
  const text = message().replace('Version="2.0"', 'Version="2.0" Unknown="1"')
  const read = await createSandbox().inspect<'answer'>({ kind: 'answer', text, certificates }, HERE)
  t.same(read, { ok: false, reason: 'schema' })
})

t.test('a network takes four places, and leaves the others to other networks', async (t) => {
  const sandbox = createSandbox()
  const job = { kind: 'metadata' as const, text: '<a/>' }
  const garbage = Array.from({ length: 12 }, (_, at) =>
    sandbox.inspect<'metadata'>(job, `2001:db8:7:${at.toString(16)}::1`),
  )
  const genuine = sandbox.inspect<'answer'>(
    { kind: 'answer', text: message(), certificates },
    '2001:db8:8::1',
  )
  const results = await Promise.allSettled(garbage)
  const refused = results.filter(({ status }) => status === 'rejected')
  t.equal(refused.length, 8)
  t.match(refused[0], { reason: { code: 'SERVICE_UNAVAILABLE', headers: { 'retry-after': '1' } } })
  t.match(await genuine, { ok: true })
  t.match(await sandbox.inspect<'metadata'>(job, '2001:db8:7::1'), { ok: false }, 'room again')
})

t.test('two are read at once, thirty wait, the next gets 503', async (t) => {
  const sandbox = createSandbox()
  const job = { kind: 'metadata' as const, text: '<a/>' }
  const results = await Promise.allSettled(
    Array.from({ length: 34 }, (_, at) => sandbox.inspect<'metadata'>(job, `192.0.${at}.1`)),
  )
  t.equal(results.filter(({ status }) => status === 'rejected').length, 2)
})

t.test('a document beyond its processor time is 503 with Retry-After', async (t) => {
  const job = { kind: 'answer' as const, text: message(), certificates }
  const overloaded = { code: 'SERVICE_UNAVAILABLE', headers: { 'retry-after': '5' } }
  const none = createSandbox({ processorMs: 1 })
  await t.rejects(none.inspect<'answer'>(job, HERE), overloaded)
  const stuck = createSandbox({ durationMs: 1 })
  await t.rejects(stuck.inspect<'answer'>(job, HERE), overloaded)
})

t.test('time in which others have the processor does not count', async (t) => {
  // Busy threads take most of the time in which the worker could run.
  const busy = Array.from({ length: 8 }, () => new Worker('for (;;);', { eval: true }))
  const began = performance.now()
  try {
    const job = { kind: 'answer' as const, text: message(), certificates }
    const read = await createSandbox({ processorMs: 3_000 }).inspect<'answer'>(job, HERE)
    t.match(read, { ok: true }, `read after ${Math.round(performance.now() - began)} ms`)
  } finally {
    await Promise.all(busy.map((one) => one.terminate()))
  }
})
