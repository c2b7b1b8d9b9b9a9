/** Yardsticks: the rates of the bare libraries with the same messages. */
import nodemailer from 'nodemailer'
import { Pool } from 'undici'

export interface SendRate {
  perSecond: number
  cpuMicros: number
  /** Processor time of Postgres in the same period. */
  postgresMicros?: number
}

const inParallel = async (
  count: number,
  workers: number,
  one: (index: number) => Promise<unknown>,
): Promise<SendRate> => {
  const run = async () => {
    let next = 0
    const work = async () => {
      while (next < count) await one(next++)
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

/** POST requests over keep-alive connections. */
export const measureBarePosts = async (origin: string, count: number): Promise<SendRate> => {
  const pool = new Pool(origin, { connections: CONNECTIONS })
  const headers = { 'content-type': 'application/json' }
  const measured = await inParallel(count, CONNECTIONS, async (index) => {
    const { body } = await pool.request({ path: `/${index}`, method: 'POST', headers, body: BODY })
    await body.dump()
  })
  await pool.close()
  return measured
}

const MAIL_CONNECTIONS = 5
const TEXT = 'Investigating: API is down\n\nWe are on it.\n'

/** Mails with a text and an HTML part over a connection pool. */
export const measureBareMails = async (port: number, count: number): Promise<SendRate> => {
  const transport = nodemailer.createTransport({
    pool: true,
    host: '127.0.0.1',
    port,
    ignoreTLS: true,
    maxConnections: MAIL_CONNECTIONS,
    maxMessages: Number.POSITIVE_INFINITY,
  })
  const measured = await inParallel(count, 2 * MAIL_CONNECTIONS, (index) =>
    transport.sendMail({
      from: 'status@example.com',
      to: `${index}@example.com`,
      subject: 'API is down',
      text: TEXT,
      html: `<p>${TEXT}</p>`,
    }),
  )
  transport.close()
  return measured
}
