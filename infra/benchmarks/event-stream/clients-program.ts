/**
 * Clients of the event stream in a process of their own: `origin`, `key` and number of streams as
 * arguments. Sends `open` to the parent, then the time of each event's last receipt.
 */
import { Agent, get, type IncomingMessage } from 'node:http'

const [origin = '', key = '', count = '0'] = process.argv.slice(2)
const streams = Number(count)
const OPENED_AT_ONCE = 50

export interface LastReceipt {
  id: string
  /** Time of the event, in Unix milliseconds. */
  occurredAt: number
  /** Times of the first and the last receipt, in Unix milliseconds. */
  firstAt: number
  lastAt: number
}

const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })
const receipts = new Map<string, { count: number; firstAt: number }>()

const onBlock = (block: string) => {
  const [, id] = /^id: (\S+)$/m.exec(block) ?? []
  const [, data] = /^data: (.*)$/m.exec(block) ?? []
  if (id === undefined || data === undefined) return
  const lastAt = Date.now()
  const receipt = receipts.get(id) ?? { count: 0, firstAt: lastAt }
  receipts.set(id, receipt)
  receipt.count++
  if (receipt.count < streams) return
  const occurredAt = Date.parse(JSON.parse(data).timestamp)
  process.send?.({ id, occurredAt, firstAt: receipt.firstAt, lastAt } satisfies LastReceipt)
}

const follow = async (): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const headers = { authorization: `Bearer ${key}` }
  get(`${origin}/api/v1/events/stream`, { agent, headers }, resolve).on('error', reject)
  const response = await promise
  if (response.statusCode !== 200)
    throw new Error(`The stream responded with ${response.statusCode}`)
  let pending = ''
  response.setEncoding('utf8').on('data', (text: string) => {
    const blocks = (pending + text).split('\n\n')
    pending = blocks.pop() ?? ''
    for (const block of blocks) onBlock(block)
  })
  response.on('close', () => {
    throw new Error('A stream ended')
  })
}

for (let opened = 0; opened < streams; opened += OPENED_AT_ONCE) {
  const batch = Math.min(OPENED_AT_ONCE, streams - opened)
  await Promise.all(Array.from({ length: batch }, follow))
}
process.send?.('open')
