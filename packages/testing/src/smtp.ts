/** SMTP server that stores received mail and rejects as a test defines. */
import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import type { Teardown } from './teardown.ts'

export interface SinkMail {
  from: string
  to: string[]
  /** Headers and body as received. */
  raw: string
  /** Unfolded headers with names in lower case; the last value of a repeated header. */
  headers: Record<string, string>
  user: string | null
}

/** Replies instead of 250, such as `550 5.1.1 No such user`; null accepts. */
export interface SmtpReplies {
  /** Replaces the greeting. */
  connect?: () => string | null
  mail?: (from: string) => string | null
  rcpt?: (to: string) => string | null
  data?: (mail: SinkMail) => string | null
  auth?: (user: string, password: string) => string | null
}

export interface SmtpSink {
  url: string
  port: number
  mails: SinkMail[]
  /** Closes the connections, so that the next mail begins with a greeting. */
  hangUp(): void
  close(): Promise<void>
}

export const smtpSink = async (
  t: Teardown,
  { replies = {} }: { replies?: SmtpReplies } = {},
): Promise<SmtpSink> => {
  const mails: SinkMail[] = []
  const server = new SMTPServer({
    logger: false,
    authOptional: true,
    hideSTARTTLS: true,
    disableReverseLookup: true,
    onConnect: (_session, done) => done(refusalOf(replies.connect?.())),
    onAuth(login, _session, done) {
      const [username, password] = [login.username ?? '', login.password ?? '']
      const refusal = refusalOf(replies.auth?.(username, password))
      if (refusal === null) done(null, { user: username })
      else done(refusal)
    },
    onMailFrom: ({ address }, _session, done) => done(refusalOf(replies.mail?.(address))),
    onRcptTo: ({ address }, _session, done) => done(refusalOf(replies.rcpt?.(address))),
    onData(stream, session, done) {
      buffer(stream).then((bytes) => {
        const mail = mailOf(session, bytes.toString('utf8'))
        const refusal = refusalOf(replies.data?.(mail))
        if (refusal === null) mails.push(mail)
        done(refusal)
      }, done)
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  const hangUp = () => {
    for (const { _socket } of server.connections as Set<{ _socket: Socket }>) _socket.destroy()
  }
  const close = async () => {
    const closed = new Promise<void>((resolve) => server.close(resolve))
    // Closes pooled connections, which would delay the end.
    hangUp()
    await closed
  }
  t.teardown(close)
  return { url: `smtp://127.0.0.1:${port}`, port, mails, hangUp, close }
}

const refusalOf = (reply: string | null | undefined): Error | null =>
  reply === null || reply === undefined
    ? null
    : Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) })

const mailOf = (session: SMTPServerSession, raw: string): SinkMail => {
  const { mailFrom, rcptTo } = session.envelope
  return {
    from: mailFrom === false ? '' : mailFrom.address,
    to: rcptTo.map(({ address }) => address),
    raw,
    headers: headersOf(raw),
    user: (session.user as string | undefined) ?? null,
  }
}

const headersOf = (raw: string): Record<string, string> => {
  const [head = ''] = raw.split('\r\n\r\n', 1)
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
}
