/**
 * Mail over SMTP. This package opens each connection, so a tenant's mail server is validated at
 * every connect and the validated address is used, while TLS verifies the name.
 */
import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import type { SecureContext } from 'node:tls'
import { startTimeout } from '@status-page/concurrency'
import type { PluginFunction, SMTPPoolOptions } from 'nodemailer'
import { connectSocket } from './connect.ts'
import { OutboundFailure } from './failure.ts'
import { emptyTimings } from './http-transport.ts'
import type { OutboundPolicy } from './policy.ts'
import { classifyReply, enhancedStatus, type MailFault } from './smtp-replies.ts'
import { checkSmtpServer } from './target.ts'

export interface SmtpServer {
  host: string
  port: number
  /** TLS from the start; otherwise STARTTLS when the server offers it. */
  secure: boolean
  username?: string | null
  password?: string | null
  /** Operator's SMTP_URL: connected without validation. */
  trusted?: boolean
  dkim?: { domainName: string; keySelector: string; privateKey: string }
}

export interface Mail {
  from: { name: string; address: string }
  to: { name?: string; address: string }
  subject: string
  text: string
  html?: string
  /** Message-ID with angle brackets; the same for every attempt. */
  messageId: string
  headers: Readonly<Record<string, string>>
  /** Calendar entry to add or to cancel (RFC 5546), as a body part and an attachment. */
  calendar?: { method: 'PUBLISH' | 'CANCEL'; content: string } | null
}

export type MailResult =
  | { ok: true; response: string }
  | { ok: false; class: MailFault; code?: number; enhanced?: string }

export interface Mailer {
  /** Never throws for a fault of the server. */
  send(mail: Mail, options: { timeoutMs: number }): Promise<MailResult>
  close(): void
}

const MAX_CONNECTIONS = 5
const MESSAGES_PER_CONNECTION = 100
const CONNECT_TIMEOUT_MS = 10_000
const IDLE_TIMEOUT_MS = 30_000
const MAX_REPLY_BYTES = 64 * 1024
const MAX_ADDRESS_CHARACTERS = 254

export const createMailer = (
  server: SmtpServer,
  context: { policy: OutboundPolicy; secureContext: SecureContext },
  onClose: () => void = () => {},
): Mailer => {
  const verdict = server.trusted
    ? { ok: true as const, host: server.host, port: server.port }
    : checkSmtpServer(server, context.policy)
  if (!verdict.ok) {
    return { send: async () => ({ ok: false, class: 'blocked' }), close: onClose }
  }
  let opening: ReturnType<typeof openTransport> | null = null
  return {
    async send(mail, { timeoutMs }) {
      const refusal = smtpRefusalOf(mail)
      if (refusal !== null) return refusal
      const deadline = new AbortController()
      const cancel = startTimeout(() => deadline.abort(), timeoutMs)
      const progress: Progress = { isSent: false }
      try {
        const options = { ...nodemailerMessageOf(mail), signal: deadline.signal, progress }
        opening ??= openTransport({ ...server, host: verdict.host }, context)
        const sent = await (await opening).sendMail(options)
        return { ok: true, response: sent.response ?? '' }
      } catch (error) {
        return faultOf(error, progress.isSent)
      } finally {
        cancel()
      }
    },
    close() {
      void opening?.then((transport) => transport.close())
      onClose()
    },
  }
}

/** Loads nodemailer with the first mail, since most services send none. */
const openTransport = async (
  server: SmtpServer,
  context: { policy: OutboundPolicy; secureContext: SecureContext },
) => {
  const { createTransport } = await import('nodemailer')
  const { host, port, secure, username, password } = server
  const isName = isIP(host) === 0
  const transport = createTransport({
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    maxMessages: MESSAGES_PER_CONNECTION,
    maxRequeues: 1,
    host,
    port,
    secure,
    ...(username ? { auth: { user: username, pass: password ?? '' } } : {}),
    tls: { secureContext: context.secureContext, ...(isName ? { servername: host } : {}) },
    dnsTimeout: CONNECT_TIMEOUT_MS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: IDLE_TIMEOUT_MS,
    maxResponseSize: MAX_REPLY_BYTES,
    // Prevents values from including files or URLs in a message.
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(server.trusted ? {} : { getSocket: guardedSocket(server, context.policy) }),
    ...(server.dkim ? { dkim: { ...server.dkim, headerFieldNames: SIGNED_HEADERS } } : {}),
  })
  // A pool emits the loss of an idle connection as an event, which would end the process without a
  // listener.
  transport.on('error', () => {})
  transport.use('stream', sendInOneWrite)
  return transport
}

/**
 * Signed headers, with `List-Unsubscribe-Post`, which RFC 8058 requires and nodemailer omits by
 * default.
 */
const SIGNED_HEADERS = [
  'From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type',
  'Content-Transfer-Encoding:In-Reply-To:References:List-Id:List-Unsubscribe:List-Unsubscribe-Post',
].join(':')

/**
 * Requires TLS before a password crosses the internet. Inside the operator's allowed ranges
 * STARTTLS is used only when offered.
 */
const guardedSocket =
  (server: SmtpServer, policy: OutboundPolicy): NonNullable<SMTPPoolOptions['getSocket']> =>
  (_options, done) => {
    const { host, port } = server
    const target = { host, port, secureContext: null, timeoutMs: CONNECT_TIMEOUT_MS }
    connectSocket(target, policy, emptyTimings()).then(
      (connection) => {
        const isPublicHost = policy.isPublicAddress(connection.remoteAddress ?? '')
        const requireTLS = isPublicHost && !server.secure && Boolean(server.username)
        done(null, requireTLS ? { connection, requireTLS } : { connection })
      },
      (error: Error) => done(error),
    )
  }

interface Progress {
  isSent: boolean
}

/**
 * Sends a message in one write and records its last byte: the outcome of a later loss is unknown.
 */
const sendInOneWrite: PluginFunction = (mail, done) => {
  const { progress } = mail.data as { progress?: Progress }
  const { message } = mail
  if (progress !== undefined && message !== undefined) {
    const createReadStream = message.createReadStream.bind(message)
    message.createReadStream = (options) =>
      joinChunks(createReadStream(options) as Readable).once('end', () => {
        progress.isSent = true
      }) as never
  }
  done()
}

/**
 * Joins the chunks of a message; each would be a separate write to the socket, a third of the cost
 * of a mail.
 */
const joinChunks = (source: Readable): Readable => {
  const chunks: Buffer[] = []
  const joined = new Readable({
    read() {},
    destroy(error, done) {
      source.destroy()
      done(error)
    },
  })
  source.on('data', (chunk: Buffer) => chunks.push(chunk))
  source.once('end', () => {
    joined.push(Buffer.concat(chunks))
    joined.push(null)
  })
  source.on('error', (error) => joined.destroy(error))
  source.once('close', () => {
    if (!source.readableEnded) joined.destroy(new Error('closed before the end'))
  })
  return joined
}

const CALENDAR_FILE = 'maintenance.ics'

/** Message for nodemailer; every value is one line, and no address comes from a header. */
export const nodemailerMessageOf = (mail: Mail) => ({
  from: { name: oneLine(mail.from.name), address: mail.from.address },
  to: { name: oneLine(mail.to.name ?? ''), address: mail.to.address },
  // Separate from the headers, so that no header adds a recipient.
  envelope: { from: mail.from.address, to: [mail.to.address] },
  subject: oneLine(mail.subject),
  text: mail.text,
  ...(mail.html === undefined ? {} : { html: mail.html }),
  ...(mail.calendar ? { icalEvent: { ...mail.calendar, filename: CALENDAR_FILE } } : {}),
  messageId: oneLine(mail.messageId),
  headers: Object.fromEntries(
    Object.entries(mail.headers).map(([name, value]) => [oneLine(name), oneLine(value)]),
  ),
})

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const oneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ')

/**
 * Whether the text is one ASCII mailbox without quotes, groups or lists; repeats the contract's
 * rule.
 */
const isMailbox = (address: string): boolean =>
  address.length <= MAX_ADDRESS_CHARACTERS && /^[^\s"(),:;<>@[\\\]]+@[A-Za-z0-9.-]+$/.test(address)

/**
 * Failure found before any server is contacted: an invalid sender delays, an invalid recipient ends
 * the delivery.
 */
export const smtpRefusalOf = ({ from, to }: Mail): Extract<MailResult, { ok: false }> | null => {
  if (!isMailbox(from.address)) return { ok: false, class: 'policy' }
  return isMailbox(to.address) ? null : { ok: false, class: 'bad_address' }
}

interface SmtpError {
  code?: unknown
  command?: unknown
  response?: unknown
  responseCode?: unknown
}

const faultOf = (error: unknown, isSent: boolean): MailResult => {
  if (error instanceof OutboundFailure) {
    return { ok: false, class: error.kind === 'blocked' ? 'blocked' : 'transient' }
  }
  const { code, command, response, responseCode } = error as SmtpError
  if (typeof responseCode !== 'number') {
    // A server without a supported login needs another configuration; a retry does not help.
    if (code === 'ENOAUTH' || code === 'EAUTH') return { ok: false, class: 'auth_failed' }
    return { ok: false, class: isSent ? 'unknown' : 'transient' }
  }
  const text = typeof response === 'string' ? response : ''
  const reply = { command: typeof command === 'string' ? command : '', code: responseCode, text }
  const enhanced = enhancedStatus(text)
  return {
    ok: false,
    class: classifyReply(reply),
    code: responseCode,
    ...(enhanced === null ? {} : { enhanced }),
  }
}
