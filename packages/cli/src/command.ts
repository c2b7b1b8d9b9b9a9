/** Types of the commands and of their arguments. */
import type { CliContext } from './context.ts'
import type { OptionName } from './options.ts'
import type { ColourText } from './print.ts'

interface Values {
  url?: string | undefined
  output?: string | undefined
  publish?: boolean | undefined
  slug?: string | undefined
  subscribers?: string | undefined
  'dry-run'?: boolean | undefined
  follow?: boolean | undefined
  after?: string | undefined
  kinds?: string | undefined
  prune?: boolean | undefined
  'token-file'?: string | undefined
  state?: string | undefined
  allow?: string | undefined
  name?: string | undefined
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
  /**
   * Placeholders such as `<file>`, or the accepted words, separated by `|`. A last one that ends with
   * `…` stands for one or more.
   */
  operands: readonly string[]
  options: readonly OptionName[]
  /** Returns the exit code. */
  run(invocation: Invocation): Promise<number>
}
