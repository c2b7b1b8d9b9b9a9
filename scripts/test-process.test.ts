import { fileURLToPath } from 'node:url'
import t from 'tap'
import { type FileOutcome, runTestFiles } from './test-process.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

const outcomesOf = async (...files: string[]) => {
  const outcomes: FileOutcome[] = []
  const notRun = await runTestFiles(files, {
    root,
    timeoutSeconds: 60,
    environment: process.env,
    onOutcome: (outcome) => outcomes.push(outcome),
  })
  return { outcomes, notRun }
}

t.test('an error that no test catches fails the test during which it is thrown', async (t) => {
  const file = 'scripts/uncaught-errors.ts'
  const { outcomes, notRun } = await outcomesOf(file, 'scripts/never-run.ts')
  t.same(notRun, ['scripts/never-run.ts'])
  t.equal(outcomes.length, 1)
  const [outcome] = outcomes
  t.same(
    outcome?.failures.map((text) => text.split('\n')[0]),
    [
      `${file} > throws in a callback > of a callback`,
      `${file} > outer > rejects a promise > of a promise`,
      // The line that closes the subtest.
      `${file} > outer > rejects a promise`,
    ],
  )
})
