/** Statements of a start, which a busy database refuses. */
import { unavailable } from '@status-page/contracts'
import t from 'tap'
import { createLogger } from './logger.ts'
import { runWhenAvailable } from './wait-for-database.ts'

const logger = createLogger({ service: 'core', level: 'silent' })

t.test('statements run again while the database is busy', async (t) => {
  let runs = 0
  const statements = async () => {
    runs++
    if (runs < 3) throw unavailable('The database is busy', 1)
  }
  const { signal } = new AbortController()
  t.equal(await runWhenAvailable(statements, { logger, signal }), true)
  t.equal(runs, 3)
})

t.test('a stop ends the repetition', async (t) => {
  const stopping = new AbortController()
  const statements = async () => {
    stopping.abort()
    throw unavailable('The database is busy', 1)
  }
  t.equal(await runWhenAvailable(statements, { logger, signal: stopping.signal }), false)
})

t.test('another error ends the start', async (t) => {
  const { signal } = new AbortController()
  const statements = () => Promise.reject(new Error('no such table'))
  await t.rejects(runWhenAvailable(statements, { logger, signal }), /no such table/)
})
