/** The check of documents finds each kind of problem. */
import t from 'tap'
import { checkDocument } from './check-docs.ts'

const present = new Set(['README.md', 'packages/bus/src/relay.ts', 'services/core/src/app.ts'])
const exists = (path: string) => present.has(path)
const problemsIn = (text: string) => checkDocument('README.md', text, exists).map((f) => f.problem)

t.test('a cited path that does not exist is found', async (t) => {
  t.match(problemsIn('see `packages/bus/src/gone.ts`'), [/packages\/bus\/src\/gone\.ts/])
  t.match(problemsIn('see [there](docs/GONE.md#part)'), [/docs\/GONE\.md/])
  t.match(problemsIn('see `services/core/src/{app,gone}.ts`'), [/services\/core\/src\/gone\.ts/])
})

t.test('what exists, or is no path of the repository, passes', async (t) => {
  const passing = [
    '`packages/bus/src/relay.ts:12`',
    '[the top](README.md#top) and [elsewhere](https://example.com/a.md)',
    '`/api/v1/incidents` `application/json` `services/<name>/src/main.ts` `.env`',
  ]
  for (const text of passing) t.same(problemsIn(text), [], text)
})

t.test("a path of one user's machine is found", async (t) => {
  t.match(problemsIn('run it in `/home/alice/clone`'), [/one machine/])
  t.same(problemsIn('POST `/home` of the page'), [])
})
