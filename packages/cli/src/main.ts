/** Starts statusctl: the only file that uses `process`. */
import { text } from 'node:stream/consumers'
import { createRunProgram } from './run-program.ts'
import { statusctl } from './statusctl.ts'

const { argv, env, stdin, stdout, stderr } = process

const stopSignal = (): AbortSignal => {
  const stopping = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort())
  return stopping.signal
}

// Output that a closed pipe ends, as that of `statusctl events | head`, is complete.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1)
})

process.exitCode = await statusctl(argv.slice(2), {
  environment: env,
  readInput: () => text(stdin),
  isInputTerminal: stdin.isTTY === true,
  nodeVersion: process.versions.node,
  stopSignal,
  isTerminal: stdout.isTTY === true,
  out: (line) => void stdout.write(line),
  printError: (line) => void stderr.write(line),
  runProgram: createRunProgram(process),
})
