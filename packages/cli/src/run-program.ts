/**
 * Runs a program whose output is passed on and observed. Its exit code follows the rules of POSIX
 * shells: 127 for a program that is not found, 126 for one that cannot be executed, and 128 plus
 * the number of the signal that ended it.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'

const NOT_FOUND = 127
const NOT_EXECUTABLE = 126
const SIGNAL_BASE = 128

/** Signals that are passed on. */
const forwardedSignals = ['SIGTERM', 'SIGHUP'] as const
/** Signals that a terminal sends to the program itself; passed on without a terminal. */
const terminalSignals = ['SIGINT', 'SIGQUIT'] as const

export type ProgramHost = Pick<NodeJS.Process, 'on' | 'off' | 'stdin' | 'stdout' | 'stderr'>

export type RunProgram = (
  command: readonly string[],
  onOutput: (chunk: Buffer) => void,
) => Promise<number>

export const createRunProgram =
  (host: ProgramHost): RunProgram =>
  ([program = '', ...args], onOutput) =>
    new Promise((resolve) => {
      const child = spawn(program, args, { stdio: ['inherit', 'pipe', 'pipe'] })
      for (const name of ['stdout', 'stderr'] as const) {
        child[name].on('data', onOutput)
        child[name].pipe(host[name], { end: false })
      }
      const forward = (signal: NodeJS.Signals) => void child.kill(signal)
      const outlive = () => {}
      const listeners = [
        ...forwardedSignals.map((signal) => [signal, forward] as const),
        ...terminalSignals.map((signal) => [signal, host.stdin.isTTY ? outlive : forward] as const),
      ]
      for (const [signal, listener] of listeners) host.on(signal, listener)
      const end = (exitCode: number) => {
        for (const [signal, listener] of listeners) host.off(signal, listener)
        resolve(exitCode)
      }
      child.on('error', (error: NodeJS.ErrnoException) => {
        // Also emitted for a signal that cannot be sent.
        if (child.pid !== undefined) return
        const message = `statusctl: ${program}: ${error.code ?? error.message}\n`
        host.stderr.write(message)
        onOutput(Buffer.from(message))
        end(error.code === 'ENOENT' ? NOT_FOUND : NOT_EXECUTABLE)
      })
      child.on('close', (code, signal) => end(code ?? SIGNAL_BASE + numberOf(signal)))
    })

const numberOf = (signal: NodeJS.Signals | null): number =>
  signal === null ? 0 : constants.signals[signal]
