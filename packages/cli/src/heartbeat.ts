/**
 * Commands of heartbeats: run a command and report its start, its exit code and the end of its
 * output, and replace a ping URL. A ping that fails never changes the result of the command.
 */
import { randomBytes } from 'node:crypto'
import { apiOf } from './api.ts'
import type { Invocation } from './command.ts'
import { EXIT_CODES } from './context.ts'
import { OutputTail } from './output-tail.ts'
import { createPing, type SendPing } from './ping.ts'
import { inJson, stripControlCharacters } from './print.ts'

const actions: Readonly<
  Record<
    string,
    ((invocation: Invocation, given: readonly string[]) => Promise<number>) | undefined
  >
> = {
  run: (invocation, command) => runCommand(invocation, command),
  rotate: (invocation, [component = '', ...others]) => {
    if (others.length > 0) throw new Error('usage: statusctl heartbeat rotate <component>')
    return rotate(invocation, component)
  },
}

export const heartbeat = async (invocation: Invocation): Promise<number> => {
  const [name = '', ...given] = invocation.operands
  const action = actions[name]
  if (action === undefined) {
    throw new Error(`the action must be ${Object.keys(actions).join(' or ')}`)
  }
  return action(invocation, given)
}

const runCommand = async (invocation: Invocation, command: readonly string[]): Promise<number> => {
  const { context } = invocation
  const ping = pingOf(invocation)
  const tail = new OutputTail()
  // The command does not wait for the ping of its start; that of its end does.
  const started = ping('start')
  const exitCode = await context.runProgram(command, (chunk) => tail.push(chunk))
  await started
  await ping(`${exitCode}`, tail.bytes())
  return exitCode
}

/** Sends the pings of one run; a failure is one line on standard error. */
const pingOf = ({ context, values }: Invocation): SendPing => {
  const report = (error: unknown): void => {
    const { message } = error as Error
    context.printError(`statusctl: ping not sent: ${stripControlCharacters(message)}\n`)
  }
  const url = values.url ?? context.environment.STATUSCTL_PING_URL ?? ''
  try {
    const send = createPing(url, randomBytes(RUN_ID_BYTES).toString('hex'))
    return (signal, output) => send(signal, output).catch(report)
  } catch (error) {
    report(error)
    return async () => {}
  }
}

/** Distinguishes runs that overlap. */
const RUN_ID_BYTES = 8

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

const rotate = async (invocation: Invocation, component: string): Promise<number> => {
  const { context, values } = invocation
  const api = await apiOf(invocation)
  const id = UUID.test(component) ? component : await idOf(api, component)
  const params = { path: { id } }
  const { data } = await api.POST('/api/v1/components/{id}/heartbeat/rotate-token', { params })
  context.out(values.json ? inJson(data) : `${data.pingUrl}\n`)
  return EXIT_CODES.success
}

const PAGE_SIZE = 100

/** Id of the only heartbeat with the name. */
const idOf = async (api: Awaited<ReturnType<typeof apiOf>>, name: string): Promise<string> => {
  const query = { search: name, type: 'ENDPOINT', pageSize: PAGE_SIZE } as const
  const { data: page } = await api.GET('/api/v1/components', { params: { query } })
  const [found, ...others] = page.data.filter(
    (one) => one.name === name && one.kind === 'heartbeat',
  )
  if (found === undefined) throw new Error(`no heartbeat has the name ${name}`)
  if (others.length > 0) throw new Error(`several heartbeats have the name ${name}; use an id`)
  return found.id
}
