/**
 * Receivers of the benchmark: a web server that accepts every POST and hangs below `/hang`, and a
 * mail server that accepts every message. Runs in its own process, so that it costs the sender only
 * its share of the machine.
 */
import { createServer } from 'node:http'
import { createServer as createMailServer, type Socket } from 'node:net'

export interface SinkArrivals {
  count: number
  /** Epoch milliseconds; null before the first delivery. */
  firstMs: number | null
  lastMs: number | null
}

export interface SinkPorts {
  http: number
  smtp: number
}

const noArrivals = (): SinkArrivals => ({ count: 0, firstMs: null, lastMs: null })
let arrivals = noArrivals()

const countArrival = () => {
  const now = performance.timeOrigin + performance.now()
  arrivals = { count: arrivals.count + 1, firstMs: arrivals.firstMs ?? now, lastMs: now }
}

const web = createServer((request, response) => {
  request.resume()
  if (request.url?.startsWith('/hang') === true) return
  countArrival()
  response.end()
})

const END_OF_MAIL = '\r\n.\r\n'

/** SMTP dialogue (RFC 5321) that accepts everything; clients do not pipeline commands. */
const serveSmtp = (socket: Socket) => {
  let received = ''
  let isMail = false
  socket
    .setNoDelay(true)
    .setEncoding('latin1')
    .on('error', () => {})
  socket.write('220 sink\r\n')
  socket.on('data', (text: string) => {
    received += text
    for (;;) {
      const ending = isMail ? END_OF_MAIL : '\r\n'
      const end = received.indexOf(ending)
      if (end === -1) return
      const command = received.slice(0, end)
      received = received.slice(end + ending.length)
      const isData = !isMail && command.toUpperCase() === 'DATA'
      if (isMail) countArrival()
      isMail = isData
      socket.write(isData ? '354 go on\r\n' : '250 ok\r\n')
      if (command.toUpperCase() === 'QUIT') socket.end()
    }
  })
}

const mail = createMailServer(serveSmtp)

process.on('message', (command: 'report' | 'reset') => {
  if (command === 'reset') arrivals = noArrivals()
  process.send?.(arrivals)
})

process.on('disconnect', () => process.exit())

web.listen(0, '127.0.0.1', () =>
  mail.listen(0, '127.0.0.1', () => {
    const [http, smtp] = [web, mail].map((server) => {
      const address = server.address()
      return typeof address === 'object' && address !== null ? address.port : 0
    })
    process.send?.({ http, smtp })
  }),
)
