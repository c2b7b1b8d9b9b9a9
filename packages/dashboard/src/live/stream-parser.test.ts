/** Parser of the event stream: parts of any size, comments, cursors and several lines of data. */
import t from 'tap'
import { createStreamParser } from './stream-parser.ts'

const text = [
  'retry: 1500',
  'id: evt_1',
  '',
  ':',
  '',
  'id: evt_2',
  'event: incident.created',
  'data: {"event":"incident.created"}',
  '',
  'event: resync',
  'data: a',
  'data: b: c',
  '',
  'id: evt_3',
  'data: not complete',
].join('\n')

const parseIn = (size: number) => {
  const seen: unknown[] = []
  const parse = createStreamParser({
    onMessage: (message) => seen.push(message),
    onCursor: (cursor) => seen.push(cursor),
    onRetry: (delayMs) => seen.push(delayMs),
  })
  for (let start = 0; start < text.length; start += size) parse(text.slice(start, start + size))
  return seen
}

t.test('the stream is the same whatever its parts', async (t) => {
  const expected = [
    1500,
    'evt_1',
    'evt_2',
    { event: 'incident.created', data: '{"event":"incident.created"}' },
    { event: 'resync', data: 'a\nb: c' },
    'evt_3',
  ]
  for (const size of [1, 3, 17, text.length]) t.same(parseIn(size), expected, `${size}`)
})
