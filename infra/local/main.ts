/** `npm start`: runs all services on this machine until Ctrl-C. */
import { join, relative } from 'node:path'
import { dashboardFolder } from '@status-page/dashboard/build'
import { buildDashboardIfChanged } from './builds.ts'
import { openConsole } from './console.ts'
import { dataFolderOf, readEnvironment } from './environment.ts'
import { type Stack, startStack } from './stack.ts'
import { StartError } from './start-error.ts'

const DEFAULT_PORT = 8080
/** Ctrl-C in a terminal arrives twice: from the terminal and from the parent program. */
const SAME_KEYSTROKE_MS = 1_000

const view = openConsole()
const stopping = watchForStop()

try {
  await main()
} catch (error) {
  view.end()
  console.error(error instanceof StartError ? error.message : error)
  process.exit(1)
}

async function main(): Promise<void> {
  const settings = readEnvironment()
  const dataDir = dataFolderOf(settings)
  view.step('Building the dashboard')
  await buildDashboardIfChanged()
  const starting = startStack({
    dataDir,
    port: portOf(settings.PORT),
    host: settings.HOST ?? '127.0.0.1',
    env: settings,
    dashboardFolder,
    databaseUrl: settings.DATABASE_URL,
    natsUrl: settings.NATS_URL === 'none' ? null : settings.NATS_URL,
    log: view.print,
    step: view.step,
  })
  // A stop during the start waits for the starting processes, then stops them.
  const stack = await starting
  view.end()
  if (!stopping.requested) printWelcome(stack, settings, dataDir)
  await stopping.promise
  view.step('Stopping')
  stopping.onForce = () => void stack.abort().finally(() => process.exit(1))
  await stack.stop()
  view.end()
  console.log('Stopped. The next npm start continues with the same data.')
  process.exit(0)
}

function portOf(text: string | undefined): number {
  const port = text === undefined ? DEFAULT_PORT : Number(text)
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port
  throw new StartError(`PORT must be a number from 1 to 65535, not "${text}".`)
}

function watchForStop() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const state = { promise, requested: false, onForce: (): void => process.exit(1) }
  let firstAt = 0
  const stop = () => {
    if (!state.requested) {
      state.requested = true
      firstAt = performance.now()
      resolve()
      return
    }
    if (performance.now() - firstAt > SAME_KEYSTROKE_MS) state.onForce()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  // The IPC channel closes when the parent process is killed.
  process.on('disconnect', stop)
  process.channel?.unref()
  return state
}

function printWelcome(stack: Stack, settings: Record<string, string>, dataDir: string): void {
  const url = stack.baseUrl
  const lines = [
    '',
    `  Dashboard        ${url}/dashboard`,
    `  API              ${url}/api/v1`,
    `  API explorer     ${url}/api/docs`,
    `  Logs             ${relative(process.cwd(), stack.logFolder)}`,
    ...(settings.SMTP_URL
      ? []
      : [
          `  Mail             ${relative(process.cwd(), join(dataDir, 'mail'))} (no SMTP_URL is set)`,
        ]),
    '',
    ...(stack.setupUrl === null
      ? [`  Sign in: ${url}/`]
      : ['  Create the first account (the link is valid once):', '', `    ${stack.setupUrl}`]),
    '',
    '  Ctrl-C stops all services.',
    '',
  ]
  console.log(lines.join('\n'))
}
