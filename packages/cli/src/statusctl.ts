/** Command line: reads arguments, runs the command and returns its exit code. */
import { parseArgs } from 'node:util'
import { ApiError, type ApiIssue } from '@status-page/client'
import { VERSION } from './api.ts'
import type { Command } from './command.ts'
import { commands } from './commands.ts'
import { type CliContext, EXIT_CODES, type ExitCode } from './context.ts'
import { credentialsFile } from './credentials.ts'
import { options } from './options.ts'
import { createColourText, stripControlCharacters } from './print.ts'
import { usage, usageOf } from './usage.ts'

const MAX_ISSUES = 50

export const statusctl = async (argv: readonly string[], context: CliContext): Promise<number> => {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options,
      allowPositionals: true,
      strict: true,
    })
    const [name, ...operands] = positionals
    if (values.version) return say(context, `statusctl ${VERSION}\n`)
    if (values.help || name === 'help') return say(context, usage())
    const command = commands[name ?? '']
    if (name === undefined || command === undefined) {
      context.printError(
        name === undefined
          ? usage()
          : `statusctl: unknown command ${stripControlCharacters(name)}\n`,
      )
      return EXIT_CODES.error
    }
    if (!isComplete(operands, command))
      throw new Error(`usage: statusctl ${usageOf(name, command)}`)
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

const isComplete = (operands: readonly string[], command: Command): boolean => {
  const { length } = command.operands
  const isOpen = command.operands.at(-1)?.endsWith('…') === true
  return isOpen ? operands.length >= length : operands.length === length
}

const say = ({ out }: CliContext, text: string): ExitCode => {
  out(text)
  return EXIT_CODES.success
}

/** Message of an error; texts of a server are shown without control characters. */
const errorMessageOf = (error: unknown): string => {
  if (error instanceof ApiError && error.issues.length > 0) {
    const issues = error.issues.slice(0, MAX_ISSUES).map(formatIssue)
    return [`refused (${error.status})`, ...issues].map(stripControlCharacters).join('\n  ')
  }
  return stripControlCharacters(error instanceof Error ? error.message : String(error))
}

const formatIssue = ({ field, message = '', line, column }: ApiIssue): string => {
  const place = line === undefined ? '' : `${line}:${column ?? 1} `
  return field !== undefined && !message.includes(field)
    ? `${place}${field}: ${message}`
    : place + message
}
