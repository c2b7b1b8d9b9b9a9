/** Connection of the event stream: continues after the last cursor, and ends when it is refused. */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { followEvents } from './event-connection.ts'

type Step = { status: number; body?: string } | Error

/** Follows a service that responds with the steps, one per connection. */
const follow = async (steps: Step[], cursor: string | null = null) => {
  const stopping = new AbortController()
  const cursors: (string | null)[] = []
  const delays: number[] = []
  const seen: unknown[] = []
  const fetchStep = async (_url: unknown, init?: RequestInit) => {
    cursors.push(new Headers(init?.headers).get('last-event-id'))
    const step = steps.shift()
    if (steps.length === 0) stopping.abort()
    if (step === undefined || step instanceof Error) throw step ?? new Error('no step is left')
    return new Response(step.body ?? null, { status: step.status })
  }
  const refusal = await followEvents(
    {
      url: 'http://localhost/stream',
      signal: stopping.signal,
      fetch: fetchStep,
      delay: async (delayMs) => {
        delays.push(delayMs)
        await sleep(1)
      },
      onOpen: (isContinued) => seen.push({ isContinued }),
      onContact: (reached) => seen.push(reached),
      onMessage: ({ event }) => seen.push(event),
    },
    cursor,
  )
  return { refusal, cursors, delays, seen }
}

const body = 'id: evt_1\n\nid: evt_2\nevent: incident.created\ndata: {}\n\n'

t.test('a broken connection continues after its last cursor', async (t) => {
  const { cursors, seen } = await follow([{ status: 200, body }, new Error(), { status: 401 }])
  t.same(cursors, [null, 'evt_2', 'evt_2'])
  t.same(seen, [{ isContinued: false }, 'incident.created', 'evt_2'])
})

t.test('a cursor that the log does not contain begins with new events', async (t) => {
  const steps = [{ status: 404 }, { status: 200, body }, { status: 403 }]
  const { cursors, seen } = await follow(steps, 'evt_0')
  t.same(cursors, ['evt_0', null, 'evt_2'])
  t.same(seen[0], { isContinued: false })
})

t.test('a refused stream ends', async (t) => {
  t.equal((await follow([{ status: 401 }, { status: 200 }])).refusal, 'unauthorized')
  t.equal((await follow([{ status: 403 }, { status: 200 }])).refusal, 'forbidden')
})

t.test('delays grow with failures up to half a minute, and are spread', async (t) => {
  const { delays } = await follow(Array.from({ length: 12 }, () => ({ status: 503 })))
  t.equal(delays.length, 12)
  t.ok(delays.every((delayMs) => delayMs >= 1_000 && delayMs <= 30_000))
  t.ok((delays[0] ?? 0) <= 2_000)
  t.ok((delays.at(-1) ?? 0) >= 15_000)
})
