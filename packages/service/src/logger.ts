/** Logger: one JSON line per event, without bodies; texts that look like secrets are masked. */
import { maskCredentials } from '@status-page/secrets'
import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger } from 'pino'

const secretNames = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'apiKey',
  '"x-caller"',
  '"set-cookie"',
]

const atDepths = (name: string) => {
  const step = name.startsWith('"') ? `[${name}]` : `.${name}`
  return [step.replace(/^\./, ''), `*${step}`, `*.*${step}`]
}

export const createLogger = (options: {
  service: string
  level?: string
  destination?: DestinationStream
}): Logger => {
  const { service, level = 'info', destination = standardOutput() } = options
  const settings = {
    level,
    base: { service },
    redact: { paths: secretNames.flatMap(atDepths), censor: '***' },
    hooks: { streamWrite: maskCredentials },
  }
  return pino(settings, destination)
}

/**
 * Synchronous: pino's default writes in a thread of libuv's pool, whose last lines are lost when
 * `endProcess` replaces the program, and all lines while every thread waits.
 */
const standardOutput = () => pino.destination({ dest: process.stdout.fd, sync: true })
