/** Environment, input and output of a command, and its exit codes. */
import type { CliEnvironment } from './credentials.ts'
import type { RunProgram } from './run-program.ts'

/** Documented in README.md: pipelines branch on them. */
export const EXIT_CODES = { success: 0, error: 1, differences: 2 } as const
export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES]

export interface CliContext {
  environment: CliEnvironment
  /** Returns the whole standard input. */
  readInput(): Promise<string>
  isInputTerminal: boolean
  /** Whether standard output is a terminal. */
  isTerminal: boolean
  /** Version of Node, such as `22.19.0`. */
  nodeVersion: string
  /** Aborts at the first SIGINT or SIGTERM from now on; without it they end the process. */
  stopSignal(): AbortSignal
  out(text: string): void
  printError(text: string): void
  runProgram: RunProgram
}
