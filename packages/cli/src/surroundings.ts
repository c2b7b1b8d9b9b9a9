/** What a command sees of the world, and what it tells it when it ends. */
import type { Environment } from './credentials.ts'

/** Documented in README.md: pipelines branch on them. */
export const EXIT = { fine: 0, error: 1, differences: 2 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export interface Surroundings {
  environment: Environment
  /** All of standard input. */
  readInput(): Promise<string>
  isInputTerminal: boolean
  /** Whether somebody looks at the output. */
  isTerminal: boolean
  out(text: string): void
  complain(text: string): void
}
