/**
 * Preloaded into each process: the most processor time that one turn of its event loop took. Unlike the lag
 * of a timer it does not count what the machine gave to others. SIGUSR2 writes it down and begins anew.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.env.HOLD_FOLDER ?? ''
const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

let last = threadMs()
let longestMs = 0
// Timers come first in each turn, so what lies between two of them is one turn.
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
