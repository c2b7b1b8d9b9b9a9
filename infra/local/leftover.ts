/** Ends a server that outlived the process that started it, so its files can be used again. */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { commandOf } from './identity.ts'

const PATIENCE_MS = 20_000
const POLL_MS = 100

/**
 * `pidFile` is the server's own; its first line is the pid. The process counts as ours only while its command
 * line holds `mark`: after a crash of the machine the number may be anybody's.
 */
export async function stopLeftover(
  pidFile: string,
  mark: string,
  signal: NodeJS.Signals,
): Promise<void> {
  if (!existsSync(pidFile)) return
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
  const isOurs = () => pid > 1 && (commandOf(pid)?.includes(mark) ?? false)
  const deadline = performance.now() + PATIENCE_MS
  if (isOurs()) process.kill(pid, signal)
  while (isOurs() && performance.now() < deadline) await delay(POLL_MS)
  if (isOurs()) process.kill(pid, 'SIGKILL')
  while (isOurs()) await delay(POLL_MS)
  rmSync(pidFile, { force: true })
}
