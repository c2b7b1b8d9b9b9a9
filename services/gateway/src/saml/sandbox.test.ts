/** Strangers' documents are read apart: bounded in time, number and what they can reach. */
import t from 'tap'
import { message, provider } from './message.fixture.ts'
import { createSandbox } from './sandbox.ts'

t.setTimeout(120_000)

const certificates = [provider.der]

t.test('a message is read as it is without a worker', async (t) => {
  const read = await createSandbox().inspect<'answer'>({
    kind: 'answer',
    text: message(),
    certificates,
  })
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
      const read = await sandbox.inspect<'answer'>({ kind: 'answer', text, certificates })
      t.same(read, { ok: false, reason }, name)
    }
  },
)

t.test('the validator is a real one', async (t) => {
  const text = message().replace('Version="2.0"', 'Version="2.0" Unknown="1"')
  const read = await createSandbox().inspect<'answer'>({ kind: 'answer', text, certificates })
  t.same(read, { ok: false, reason: 'schema' })
})

t.test('two are read at once, eight wait, the others are told to come back', async (t) => {
  const sandbox = createSandbox()
  const job = { kind: 'metadata' as const, text: '<a/>' }
  const results = await Promise.allSettled(
    Array.from({ length: 12 }, () => sandbox.inspect<'metadata'>(job)),
  )
  const refused = results.filter(({ status }) => status === 'rejected')
  t.equal(refused.length, 2)
  t.match(refused[0], { reason: { code: 'SERVICE_UNAVAILABLE' } })
})
