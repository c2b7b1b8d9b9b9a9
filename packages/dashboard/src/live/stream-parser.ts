/** Parser of server-sent events, by the rules of the HTML standard for `EventSource`. */

export interface StreamMessage {
  /** Kind of the event. */
  event: string
  data: string
}

interface StreamParserDeps {
  onMessage(message: StreamMessage): void
  /** Value of `Last-Event-ID` at the next connection. */
  onCursor(cursor: string): void
  /** Reconnect delay that the server requests. */
  onRetry(delayMs: number): void
}

/** Returns the function that receives the text of the stream, in parts of any size. */
export const createStreamParser = (deps: StreamParserDeps): ((text: string) => void) => {
  let pending = ''
  let event = ''
  let data: string[] = []
  const dispatch = () => {
    if (data.length > 0) deps.onMessage({ event, data: data.join('\n') })
    event = ''
    data = []
  }
  const readLine = (line: string) => {
    if (line === '') return dispatch()
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
    if (name === 'event') event = value
    else if (name === 'data') data.push(value)
    else if (name === 'id') deps.onCursor(value)
    else if (name === 'retry' && /^\d+$/.test(value)) deps.onRetry(Number(value))
  }
  return (text) => {
    const lines = (pending + text).split(/\r?\n/)
    pending = lines.pop() ?? ''
    for (const line of lines) readLine(line)
  }
}
