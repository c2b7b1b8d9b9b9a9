/** Command line: reads arguments, runs the command and returns its exit code. */
import { parseArgs } from 'node:util'
import { ApiUnreachableError, CliError } from './client.ts'
import { commands } from './commands.ts'
import { type CliContext, EXIT_CODES, type ExitCode } from './context.ts'
import { credentialsFile } from './credentials.ts'
import { createColourText, stripControlCharacters } from './print.ts'
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

export const statusctl = async (
  argv: readonly string[],
  context: CliContext,
): Promise<ExitCode> => {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options,
      allowPositionals: true,
      strict: true,
    })
    const [name, ...operands] = positionals
    if (values.version) return say(context, `statusctl ${VERSION}\n`)
    if (values.help || name === 'help') return say(context, USAGE)
    const command = commands[name ?? '']
    if (command === undefined) {
      context.printError(
        name === undefined ? USAGE : `statusctl: unknown command ${stripControlCharacters(name)}\n`,
      )
      return EXIT_CODES.error
    }
    if (operands.length !== command.operands) throw new Error(`usage: statusctl ${command.usage}`)
    return await command.run({
      context,
      operands,
      values,
      file: credentialsFile(context.environment),
      paint: createColourText(context),
    })
  } catch (error) {
    context.printError(`statusctl: ${errorMessageOf(error)}\n`)
    return EXIT_CODES.error
  }
}

const say = ({ out }: CliContext, text: string): ExitCode => {
  out(text)
  return EXIT_CODES.success
}

/** Message of an error; texts of a server are shown without control characters. */
const errorMessageOf = (error: unknown): string => {
  if (error instanceof CliError)
    return [error.message, ...error.problems].map(stripControlCharacters).join('\n  ')
  if (error instanceof ApiUnreachableError) return stripControlCharacters(error.message)
  return stripControlCharacters(error instanceof Error ? error.message : String(error))
}
