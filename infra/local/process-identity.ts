/** Identity of a process: distinguishes it from a later one with the same pid. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Start time of a running process (with the boot it belongs to), or null when there is none. */
export function processStartTime(pid: number): string | null {
  if (process.platform !== 'linux') return fromPs(pid, 'lstart=')
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The command name may contain spaces and brackets; fields are counted from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, startTime] = [fields[0], fields[19]]
    if (state === 'Z' || state === 'X' || startTime === undefined) return null
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot} ${startTime}`
  } catch {
    return null
  }
}

/** The command line of a running process, or null. */
export function processCommandLine(pid: number): string | null {
  if (process.platform !== 'linux') return fromPs(pid, 'command=')
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || null
  } catch {
    return null
  }
}

function fromPs(pid: number, column: string): string | null {
  try {
    const output = execFileSync('ps', ['-o', column, '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return output.trim() || null
  } catch {
    return null
  }
}
