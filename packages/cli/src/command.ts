/** Types of the commands and of their arguments. */
import type { CliContext, ExitCode } from './context.ts'
import type { OptionName } from './options.ts'
import type { ColourText } from './print.ts'

interface Values {
  url?: string | undefined
  output?: string | undefined
  subscribers?: string | undefined
  'dry-run'?: boolean | undefined
  prune?: boolean | undefined
  json?: boolean | undefined
}

export interface Invocation {
  context: CliContext
  operands: readonly string[]
  values: Values
  /** Path of the credentials file. */
  file: string
  paint: ColourText
}

export interface Command {
  summary: string
  /** Placeholders such as `<file>`, or the accepted words, separated by `|`. */
  operands: readonly string[]
  options: readonly OptionName[]
  run(invocation: Invocation): Promise<ExitCode>
}
