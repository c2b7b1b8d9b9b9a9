/** Requests that are repeated until the service responds. */
import { ApiError, ConnectionError } from '@status-page/client'
import t from 'tap'
import { isVersionMismatch } from '../api/versions.ts'
import { newIdempotencyKey, sendUntilAnswered } from './send.ts'

const apiError = (status: number, reason?: string) =>
  new ApiError(status, { code: 'CONFLICT', message: 'x', details: { reason } } as never)

const stage = (results: unknown[]) => {
  let sent = 0
  let unanswered = 0
  const stopping = new AbortController()
  const send = async () => {
    const result = results[sent++]
    if (result instanceof Error) throw result
    return result
  }
  const options = { signal: stopping.signal, onUnanswered: () => void unanswered++ }
  return { stopping, run: () => sendUntilAnswered(send, options), counts: () => [sent, unanswered] }
}

t.test('a request without a response is sent again', async (t) => {
  const { run, counts } = stage([new ConnectionError('down'), 'done'])
  t.equal(await run(), 'done')
  t.same(counts(), [2, 1])
})

t.test('a refused request is not sent again', async (t) => {
  const { run, counts } = stage([apiError(409, 'version_mismatch')])
  const error = await run().catch((thrown: unknown) => thrown)
  t.ok(isVersionMismatch(error))
  t.same(counts(), [1, 0])
})

t.test('an end stops the repetition', async (t) => {
  const { run, stopping, counts } = stage([apiError(503), 'done'])
  const result = run()
  setTimeout(() => stopping.abort(), 20)
  t.match(await result.catch((error: unknown) => error), { status: 503 })
  t.same(counts(), [1, 1])
})

t.test('keys differ', async (t) => {
  t.not(newIdempotencyKey(), newIdempotencyKey())
  t.match(newIdempotencyKey(), /^[0-9a-f]{32}$/)
})
