/** Client of server-sent events, by the rules of the HTML standard for `EventSource`. */

export interface ServerSentEvent {
  id: string
  event: string
  data: string
}

export interface EventStreamClient {
  status: number
  /** Body of a response that is no event stream. */
  text: string
  events: ServerSentEvent[]
  /** Value of `Last-Event-ID` at a reconnect; empty before the first id. */
  lastEventId(): string
  /** Number of comments, such as heartbeats. */
  comments(): number
  isOver(): boolean
  close(): void
}

/** Opens the stream; resolves with the headers of the response. */
export const openEventStream = async (
  url: string,
  headers: Record<string, string> = {},
  onEvent: (event: ServerSentEvent) => void = () => {},
): Promise<EventStreamClient> => {
  const aborting = new AbortController()
  const response = await fetch(url, { headers, signal: aborting.signal })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const events: ServerSentEvent[] = []
  const parser = createParser((event) => {
    events.push(event)
    onEvent(event)
  })
  let isOver = !isStream
  const text = isStream ? '' : await response.text()
  if (isStream) {
    // A connection that breaks ends the stream like one that is closed.
    readAll(response, parser.push)
      .catch(() => {})
      .finally(() => {
        isOver = true
      })
  }
  return {
    status: response.status,
    text,
    events,
    lastEventId: () => parser.state.lastEventId,
    comments: () => parser.state.comments,
    isOver: () => isOver,
    close: () => aborting.abort(),
  }
}

const readAll = async ({ body }: Response, push: (text: string) => void): Promise<void> => {
  if (body === null) return
  for await (const text of body.pipeThrough(new TextDecoderStream())) push(text)
}

const createParser = (onEvent: (event: ServerSentEvent) => void) => {
  const state = { lastEventId: '', comments: 0 }
  let pending = ''
  let event = ''
  let data: string[] = []
  const dispatch = () => {
    if (data.length > 0) onEvent({ id: state.lastEventId, event, data: data.join('\n') })
    event = ''
    data = []
  }
  const readLine = (line: string) => {
    if (line === '') return dispatch()
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
    if (line.startsWith(':')) state.comments++
    else if (name === 'id') state.lastEventId = value
    else if (name === 'event') event = value
    else if (name === 'data') data.push(value)
  }
  return {
    state,
    push(text: string) {
      const lines = (pending + text).split('\n')
      pending = lines.pop() ?? ''
      for (const line of lines) readLine(line)
    },
  }
}
