/**
 * The last good answers on disk, for a gateway that starts while what is behind it is down. A file is
 * written when an answer changes and touched when it is confirmed; nothing here ever fails a request.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { KeptAnswer } from './kept.ts'

const MAX_FILES = 5_000
const TOUCH_AFTER_MS = 60_000
/** Pages behind this many are lost when the disk is slower than the world changes. */
const MAX_WAITING = 500

export interface Disk {
  read(key: string): Promise<KeptAnswer | undefined>
  /** Both are done in the background, one after the other. */
  write(key: string, kept: KeptAnswer): void
  remove(key: string): void
  /** Forgets what is too old to be served, and what is too much. */
  tidy(maxAgeMs: number): Promise<void>
  /** Resolves when all that was asked for is done. */
  settled(): Promise<void>
}

export const noDisk: Disk = {
  read: async () => undefined,
  write: () => {},
  remove: () => {},
  tidy: async () => {},
  settled: async () => {},
}

export const createDisk = (folder: string, onError: (error: unknown) => void): Disk => {
  const pathOf = (key: string) =>
    join(folder, `${createHash('sha256').update(key).digest('base64url')}.page`)
  const written = new Map<string, { etag: string; at: number }>()
  const waiting = new Map<string, KeptAnswer | null>()
  let last = Promise.resolve()

  const carryOut = async (key: string): Promise<void> => {
    const kept = waiting.get(key)
    if (kept === undefined) return
    waiting.delete(key)
    if (kept === null) {
      written.delete(key)
      await rm(pathOf(key), { force: true })
    } else await save(pathOf(key), key, kept, written)
  }

  const enqueue = (key: string, kept: KeptAnswer | null) => {
    const isWaiting = waiting.has(key)
    if (!isWaiting && kept !== null && waiting.size >= MAX_WAITING) return
    waiting.set(key, kept)
    if (!isWaiting) last = last.then(() => carryOut(key)).catch(onError)
  }

  return {
    async read(key) {
      const text = await readFile(pathOf(key)).catch(() => undefined)
      return text === undefined ? undefined : parse(text, key)
    },
    write(key, kept) {
      const before = written.get(key)
      const isSame = before?.etag === kept.etag && kept.confirmedAt - before.at < TOUCH_AFTER_MS
      if (!isSame) enqueue(key, kept)
    },
    remove: (key) => enqueue(key, null),
    tidy: (maxAgeMs) => tidy(folder, maxAgeMs).catch(onError),
    settled: () => last,
  }
}

const save = async (
  path: string,
  key: string,
  kept: KeptAnswer,
  written: Map<string, { etag: string; at: number }>,
): Promise<void> => {
  const time = new Date(kept.confirmedAt)
  const isThere = written.get(key)?.etag === kept.etag
  if (isThere) {
    await utimes(path, time, time)
  } else {
    const { body, ...head } = kept
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 })
    const parts = [Buffer.from(`${JSON.stringify({ key, ...head })}\n`), body]
    await writeFile(`${path}.new`, Buffer.concat(parts), { mode: 0o600 })
    await utimes(`${path}.new`, time, time)
    await rename(`${path}.new`, path)
  }
  if (written.size >= MAX_FILES) written.clear()
  written.set(key, { etag: kept.etag, at: kept.confirmedAt })
}

const NEWLINE = 0x0a

const parse = (bytes: Buffer, key: string): KeptAnswer | undefined => {
  const end = bytes.indexOf(NEWLINE)
  try {
    const { key: own, ...head } = JSON.parse(bytes.subarray(0, end).toString())
    return own === key ? { ...head, body: bytes.subarray(end + 1) } : undefined
  } catch {
    return undefined
  }
}

const tidy = async (folder: string, maxAgeMs: number): Promise<void> => {
  const names = await readdir(folder).catch(() => [])
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      return { path, at: (await stat(path).catch(() => null))?.mtimeMs ?? 0 }
    }),
  )
  const newestFirst = files.toSorted((left, right) => right.at - left.at)
  const since = Date.now() - maxAgeMs
  const over = newestFirst.filter(({ at }, index) => index >= MAX_FILES || at < since)
  for (const { path } of over) await rm(path, { force: true })
}
