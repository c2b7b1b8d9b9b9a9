/**
 * Log file of a child process, bounded in size; its last lines stay in memory for the error message
 * after a crash.
 */
import { closeSync, openSync, renameSync, statSync, writeSync } from 'node:fs'

const MAX_LOG_BYTES = 10 * 1024 * 1024
const TAIL_LINES = 12
const MAX_LINE_CHARACTERS = 400

export interface LogFile {
  path: string
  write(chunk: Buffer): void
  tail(): string[]
  close(): void
}

/** Two files at most: the current one and its predecessor, `<path>.1`. */
export function openLogFile(path: string, onLine: (line: string) => void = () => {}): LogFile {
  let file: number | null = openSync(path, 'a', 0o600)
  let bytes = statSync(path).size
  let partialLine = ''
  const lines: string[] = []

  function rotate(): void {
    renameSync(path, `${path}.1`)
    const next = openSync(path, 'a', 0o600)
    if (file !== null) closeSync(file)
    file = next
    bytes = 0
  }
  function storeLines(text: string): void {
    const parts = (partialLine + text).split('\n')
    partialLine = (parts.pop() ?? '').slice(-MAX_LOG_BYTES)
    for (const line of parts) {
      lines.push(line.slice(0, MAX_LINE_CHARACTERS))
      if (lines.length > TAIL_LINES) lines.shift()
      onLine(line)
    }
  }
  return {
    path,
    write(chunk) {
      if (file === null) return
      try {
        if (bytes > MAX_LOG_BYTES) rotate()
        bytes += writeSync(file, chunk)
      } catch {
        // A full disk loses lines of the log; it must not end the services.
      }
      storeLines(chunk.toString('utf8'))
    },
    tail: () => [...lines],
    close() {
      if (file !== null) closeSync(file)
      file = null
    },
  }
}
