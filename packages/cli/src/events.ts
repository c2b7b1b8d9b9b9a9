/** Command that lists the events of the service, and follows new ones. */
import type { Schemas } from '@status-page/client'
import { apiOf } from './api.ts'
import type { Invocation } from './command.ts'
import { EXIT_CODES, type ExitCode } from './context.ts'
import { type EventKind, followEvents } from './event-stream.ts'
import { formatEvent, joinLines, stripControlCharacters } from './print.ts'

export const events = (invocation: Invocation): Promise<ExitCode> =>
  invocation.values.follow ? follow(invocation) : list(invocation)

/** Kinds are separated by commas in one parameter. */
const querySerializer = { array: { style: 'form', explode: false } } as const

/** The service validates the kinds. */
const queryOf = ({ values: { after, kinds } }: Invocation) => ({
  ...(after === undefined ? {} : { after }),
  ...(kinds === undefined ? {} : { kinds: kinds.split(',') as EventKind[] }),
})

const list = async (invocation: Invocation): Promise<ExitCode> => {
  const api = await apiOf(invocation)
  const query = queryOf(invocation)
  for (;;) {
    const { data: page } = await api.GET('/api/v1/events', { params: { query }, querySerializer })
    for (const entry of page.data) print(invocation, JSON.stringify(entry), entry)
    if (!page.meta.hasMore) return EXIT_CODES.success
    query.after = page.meta.nextAfter
  }
}

/** Longer than any stream of the service; a silent one is detected earlier. */
const STREAM_TIMEOUT_MS = 24 * 3_600_000

const follow = async (invocation: Invocation): Promise<ExitCode> => {
  const { context } = invocation
  const api = await apiOf(invocation, { timeoutMs: STREAM_TIMEOUT_MS })
  const { after, ...kinds } = queryOf(invocation)
  const stream = followEvents({
    async open(lastEventId, signal) {
      const isFirst = lastEventId === undefined
      const { data } = await api.GET('/api/v1/events/stream', {
        params: {
          query: isFirst && after !== undefined ? { ...kinds, after } : kinds,
          header: isFirst ? {} : { 'Last-Event-ID': lastEventId },
        },
        querySerializer,
        parseAs: 'stream',
        signal,
      })
      if (data === null) throw new Error('the reply has no body')
      return data
    },
    onCut: (reason) =>
      context.printError(
        `statusctl: connection lost (${stripControlCharacters(reason)}), reconnecting\n`,
      ),
  })
  for await (const { event, data } of stream) {
    if (event === 'resync') context.printError(resyncNotice)
    else print(invocation, data, JSON.parse(data))
  }
  return EXIT_CODES.success
}

const resyncNotice =
  'statusctl: the service omitted events, because too many follow the last one or it is too old\n'

const print = (
  { context, values, paint }: Invocation,
  json: string,
  entry: Schemas['StreamEntry'],
): void => context.out(values.json ? `${json}\n` : joinLines([formatEvent(entry, paint)]))
