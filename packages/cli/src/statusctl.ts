/** Command line: reads arguments, runs the command and returns its exit code. */
import { parseArgs } from 'node:util'
import { CliError, Unreachable } from './client.ts'
import { commands } from './commands.ts'
import { credentialsFile } from './credentials.ts'
import { colouring, plain } from './print.ts'
import { type CliContext, EXIT, type ExitCode } from './surroundings.ts'
import { USAGE } from './usage.ts'

const VERSION = '0.1.0'

const options = {
  url: { type: 'string' },
  output: { type: 'string', short: 'o' },
  subscribers: { type: 'string' },
  'dry-run': { type: 'boolean' },
  prune: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const

export const statusctl = async (argv: readonly string[], around: CliContext): Promise<ExitCode> => {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options,
      allowPositionals: true,
      strict: true,
    })
    const [name, ...operands] = positionals
    if (values.version) return say(around, `statusctl ${VERSION}\n`)
    if (values.help || name === 'help') return say(around, USAGE)
    const command = commands[name ?? '']
    if (command === undefined) {
      around.complain(name === undefined ? USAGE : `statusctl: unknown command ${plain(name)}\n`)
      return EXIT.error
    }
    if (operands.length !== command.operands) throw new Error(`usage: statusctl ${command.usage}`)
    return await command.run({
      around,
      operands,
      values,
      file: credentialsFile(around.environment),
      paint: colouring(around),
    })
  } catch (error) {
    around.complain(`statusctl: ${sentenceOf(error)}\n`)
    return EXIT.error
  }
}

const say = ({ out }: CliContext, text: string): ExitCode => {
  out(text)
  return EXIT.fine
}

/** Message of an error; texts of a server are shown without control characters. */
const sentenceOf = (error: unknown): string => {
  if (error instanceof CliError) return [error.message, ...error.problems].map(plain).join('\n  ')
  if (error instanceof Unreachable) return plain(error.message)
  return plain(error instanceof Error ? error.message : String(error))
}
