/**
 * Preloaded into each process: measures the longest turn of its event loop in processor time,
 * which, unlike the delay of timers, does not depend on other processes. SIGUSR2 writes the value to
 * a file and resets it.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.env.PROBE_FOLDER ?? ''
const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

let last = threadMs()
let longestMs = 0
// Timers run first in each turn, so the interval between two of them is one turn.
setInterval(() => {
  const now = threadMs()
  longestMs = Math.max(longestMs, now - last)
  last = now
}, 1).unref()

process.on('SIGUSR2', () => {
  const file = join(folder, String(process.pid))
  writeFileSync(`${file}.part`, String(longestMs))
  renameSync(`${file}.part`, file)
  longestMs = 0
  last = threadMs()
})
