/** Program of a benchmark in a process of its own. */
import { type ChildProcess, type ForkOptions, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Starts the program, and resolves with the message that it sends when it is ready. */
export const startProgram = async <Message>(
  program: URL,
  parameters: readonly string[] = [],
  options: ForkOptions = {},
): Promise<{ child: ChildProcess; message: Message }> => {
  const child = forkProgram(program, parameters, options)
  const [message] = (await once(child, 'message')) as [Message]
  return { child, message }
}

/** Starts a program that sends no message when it is ready. */
export const forkProgram = (
  program: URL,
  parameters: readonly string[] = [],
  options: ForkOptions = {},
): ChildProcess =>
  fork(fileURLToPath(program), parameters, { execArgv: ['--no-warnings'], ...options })
