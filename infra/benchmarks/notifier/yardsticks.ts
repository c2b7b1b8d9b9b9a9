/** Yardsticks: the rates of the bare libraries with the same messages. */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import nodemailer from 'nodemailer'
import { Pool } from 'undici'
import { eventMail } from '../../../services/notifier/src/messages/event-mail.ts'
import type { MailContent } from '../../../services/notifier/src/messages/mail.ts'
import { toMessageContent } from '../../../services/notifier/src/messages/message-content.ts'
import { readerLanguage } from '../../../services/notifier/src/messages/reader-language.ts'
import { incidentOf } from './setup.ts'

export interface SendRate {
  perSecond: number
  cpuMicros: number
  /** Processor time of Postgres in the same period. */
  postgresMicros?: number
}

interface Load {
  count: number
  workers: number
  /** Rate of the messages; the maximum rate of the workers by default. */
  perSecond?: number | undefined
}

const measureRate = async (
  { count, workers, perSecond = Number.POSITIVE_INFINITY }: Load,
  send: (index: number) => Promise<unknown>,
): Promise<SendRate> => {
  const run = async () => {
    const startedMs = performance.now()
    let next = 0
    const work = async () => {
      while (next < count) {
        const index = next++
        const earlyMs = startedMs + (index * 1_000) / perSecond - performance.now()
        if (earlyMs > 0) await pause(earlyMs)
        await send(index)
      }
    }
    await Promise.all(Array.from({ length: workers }, work))
  }
  await run()
  const [started, cpu] = [performance.now(), process.cpuUsage()]
  await run()
  const { user, system } = process.cpuUsage(cpu)
  return {
    perSecond: (count * 1_000) / (performance.now() - started),
    cpuMicros: (user + system) / count,
  }
}

const CONNECTIONS = 32
const BODY = JSON.stringify({ event: 'incident.created', incident: { title: 'API is down' } })

/** POST requests over keep-alive connections, at their maximum rate or at the given one. */
export const measureBarePosts = async (
  origin: string,
  count: number,
  perSecond?: number,
): Promise<SendRate> => {
  const pool = new Pool(origin, { connections: CONNECTIONS })
  const headers = { 'content-type': 'application/json' }
  const load = { count, workers: CONNECTIONS, perSecond }
  const measured = await measureRate(load, async (index) => {
    const { body } = await pool.request({ path: `/${index}`, method: 'POST', headers, body: BODY })
    await body.dump()
  })
  await pool.close()
  return measured
}

const MAIL_CONNECTIONS = 5

/** Mail as the notifier sends it, because nodemailer encodes one of two lines a third faster. */
const renderMail = (): MailContent => {
  const language = readerLanguage('en', 'UTC')
  const incident = incidentOf(randomUUID())
  const event = { kind: 'incident.created', occurredAt: new Date(), incident } as const
  return eventMail(toMessageContent(event, language), {
    baseUrl: 'http://127.0.0.1',
    senderName: 'Status',
    appearance: null,
    language,
    sequence: 1,
    coveredUpdates: 0,
    reader: { kind: 'subscriber', manageToken: null },
    messageTemplate: null,
  })
}

/** Mails of the notifier, rendered once, over a connection pool. */
export const measureBareMails = async (port: number, count: number): Promise<SendRate> => {
  const transport = nodemailer.createTransport({
    pool: true,
    host: '127.0.0.1',
    port,
    ignoreTLS: true,
    maxConnections: MAIL_CONNECTIONS,
    maxMessages: Number.POSITIVE_INFINITY,
  })
  const { subject, text, html, headers } = renderMail()
  const load = { count, workers: 2 * MAIL_CONNECTIONS }
  const measured = await measureRate(load, (index) =>
    transport.sendMail({
      from: { name: 'Status', address: 'status@example.com' },
      to: `${index}@example.com`,
      subject,
      text,
      html,
      headers: { ...headers },
    }),
  )
  transport.close()
  return measured
}
