/**
 * Stops a server that outlived the process that started it, so that its files can be used again.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { processCommandLine } from './process-identity.ts'

const STOP_TIMEOUT_MS = 20_000
const POLL_MS = 100

/**
 * Stops the process of `pidFile`, the server's own pid file, whose first line is the pid. The
 * process is stopped only if its command line contains `mark`: after a crash of the machine another
 * program may have the pid.
 */
export async function stopOrphan(
  pidFile: string,
  mark: string,
  signal: NodeJS.Signals,
): Promise<void> {
  if (!existsSync(pidFile)) return
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
  const isOurs = () => pid > 1 && (processCommandLine(pid)?.includes(mark) ?? false)
  const deadline = performance.now() + STOP_TIMEOUT_MS
  if (isOurs()) process.kill(pid, signal)
  while (isOurs() && performance.now() < deadline) await delay(POLL_MS)
  if (isOurs()) process.kill(pid, 'SIGKILL')
  while (isOurs()) await delay(POLL_MS)
  rmSync(pidFile, { force: true })
}
