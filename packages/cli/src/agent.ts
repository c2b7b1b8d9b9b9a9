/** Command `agent`: makes the checks of a private location until it is stopped. */
import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { VERSION } from './api.ts'
import type { Invocation } from './command.ts'
import { EXIT_CODES, type ExitCode } from './context.ts'
import { originOf } from './credentials.ts'

/** Oldest Node with which the outbound client of the agent works. */
const MIN_NODE = [22, 19] as const
const MAX_NAME = 100

export const agent = async ({ context, values, file }: Invocation): Promise<ExitCode> => {
  const { environment, printError } = context
  if (!isSupported(context.nodeVersion)) {
    throw new Error(`agent needs Node ${MIN_NODE.join('.')} or newer`)
  }
  const address = values.url ?? environment.STATUSCTL_URL
  if (!address) throw new Error('usage: statusctl agent --url <url> --token-file <file>')
  const { 'token-file': tokenFile, state, allow = '', name = hostname() } = values
  // Loaded by this command only: it is larger than all others together.
  const { runAgent } = await import('@status-page/agent')
  await runAgent({
    url: originOf(address),
    stateFile: state ?? join(dirname(file), 'agent.json'),
    readEnrolmentToken: () => readToken(tokenFile),
    name: name.slice(0, MAX_NAME),
    version: VERSION,
    allow: allow.split(',').filter((network) => network !== ''),
    signal: context.stopSignal(),
    log: (line) => printError(`statusctl: ${line}\n`),
  })
  return EXIT_CODES.success
}

const readToken = async (file: string | undefined): Promise<string> => {
  if (file === undefined) throw new Error('the agent is not enrolled: --token-file is missing')
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${file} cannot be read: ${error.code ?? error.message}`)
  })
  return text.trim()
}

const isSupported = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])
}
