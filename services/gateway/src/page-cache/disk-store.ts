/**
 * The last good answers on disk, for a gateway that starts while what is behind it is down. A file is
 * written when an answer changes and touched when it is confirmed; nothing here ever fails a request.
 */
import { createHash } from 'node:crypto'
import {
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import type { CacheEntry } from './cache-entry.ts'

export interface DiskBounds {
  files: number
  bytes: number
}

const BOUNDS: DiskBounds = { files: 5_000, bytes: 512 * 1024 * 1024 }
/** New files between two looks at the bounds: so far they may be passed. */
const NEW_BETWEEN_LOOKS = 500
const ANY_AGE = Number.POSITIVE_INFINITY
const TOUCH_AFTER_MS = 60_000
const MAX_REMEMBERED = 5_000
/** Pages behind this many are lost when the disk is slower than the world changes. */
const MAX_WAITING = 500

export interface Disk {
  read(key: string): Promise<CacheEntry | undefined>
  /** Both are done in the background, one after the other. */
  write(key: string, kept: CacheEntry): void
  remove(key: string): void
  /** Who may see the pages of an organization has changed: none of its answers stays. */
  forget(organizationId: string): void
  /** Forgets what is too old to be served, and what is too much. */
  tidy(maxAgeMs: number): Promise<void>
  /** Resolves when all that was asked for is done. */
  settled(): Promise<void>
}

export const noDisk: Disk = {
  read: async () => undefined,
  write: () => {},
  remove: () => {},
  forget: () => {},
  tidy: async () => {},
  settled: async () => {},
}

export const createDisk = (
  folder: string,
  onError: (error: unknown) => void,
  bounds = BOUNDS,
): Disk => {
  const files = new Files(folder)
  const waiting = new Map<string, CacheEntry | null>()
  const over = new Set<string>()
  const newBetweenLooks = Math.min(NEW_BETWEEN_LOOKS, bounds.files)
  let last = Promise.resolve()

  const queue = (work: () => Promise<void>) => {
    last = last.then(work).catch(onError)
  }

  const carryOut = async (key: string): Promise<void> => {
    const kept = waiting.get(key)
    if (kept === undefined) return
    waiting.delete(key)
    if (kept === null) await files.remove(key)
    else await files.save(key, kept)
    if (files.made >= newBetweenLooks) await files.tidy(ANY_AGE, bounds)
  }

  const enqueue = (key: string, kept: CacheEntry | null) => {
    const isWaiting = waiting.has(key)
    if (!isWaiting && kept !== null && waiting.size >= MAX_WAITING) return
    waiting.set(key, kept)
    if (!isWaiting) queue(() => carryOut(key))
  }

  return {
    read: (key) => files.read(key),
    write(key, kept) {
      if (!files.isSaved(key, kept)) enqueue(key, kept)
    },
    remove: (key) => enqueue(key, null),
    forget(organizationId) {
      over.add(organizationId)
      if (over.size > 1) return
      queue(async () => {
        const chosen = new Set(over)
        over.clear()
        await files.forget(chosen)
      })
    },
    tidy: (maxAgeMs) => files.tidy(maxAgeMs, bounds).catch(onError),
    settled: () => last,
  }
}

class Files {
  readonly #folder: string
  readonly #written = new Map<string, { etag: string; at: number }>()
  /** Since the bounds were looked at. */
  made = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  isSaved(key: string, { etag, validatedAt }: CacheEntry): boolean {
    const before = this.#written.get(key)
    return before?.etag === etag && validatedAt - before.at < TOUCH_AFTER_MS
  }

  async read(key: string): Promise<CacheEntry | undefined> {
    const path = this.#pathOf(key)
    try {
      const [bytes, { mtimeMs }] = await Promise.all([readFile(path), stat(path)])
      return parse(bytes, key, Math.floor(mtimeMs))
    } catch {
      return undefined
    }
  }

  async save(key: string, kept: CacheEntry): Promise<void> {
    const isThere = this.#written.get(key)?.etag === kept.etag
    // Whoever tidied it away meanwhile left nothing to touch.
    if (!isThere || !(await this.#touch(key, kept))) await this.#make(key, kept)
    if (this.#written.size >= MAX_REMEMBERED) this.#written.clear()
    this.#written.set(key, { etag: kept.etag, at: kept.validatedAt })
  }

  async remove(key: string): Promise<void> {
    this.#written.delete(key)
    await rm(this.#pathOf(key), { force: true })
  }

  async forget(organizationIds: ReadonlySet<string>): Promise<void> {
    for (const path of await this.#paths()) {
      const head = await headOf(path)
      if (head !== null && !organizationIds.has(head.organizationId)) continue
      if (head !== null) this.#written.delete(head.key)
      await rm(path, { force: true })
    }
  }

  async tidy(maxAgeMs: number, bounds: DiskBounds): Promise<void> {
    this.made = 0
    const files = await Promise.all(
      (await this.#paths()).map(async (path) => {
        const { mtimeMs = 0, size = 0 } = (await stat(path).catch(() => null)) ?? {}
        return { path, size, at: mtimeMs }
      }),
    )
    const since = Date.now() - maxAgeMs
    const kept = { files: 0, bytes: 0 }
    for (const { path, size, at } of files.toSorted((left, right) => right.at - left.at)) {
      const isKept = at >= since && kept.files < bounds.files && kept.bytes + size <= bounds.bytes
      if (!isKept) await rm(path, { force: true })
      else {
        kept.files++
        kept.bytes += size
      }
    }
  }

  async #make(key: string, kept: CacheEntry): Promise<void> {
    const path = this.#pathOf(key)
    const time = new Date(kept.validatedAt)
    const { body, organizationId, ...head } = kept
    const text = JSON.stringify({ organizationId, key, length: body.length, ...head })
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await writeFile(`${path}.new`, Buffer.concat([Buffer.from(`${text}\n`), body]), { mode: 0o600 })
    await utimes(`${path}.new`, time, time)
    await rename(`${path}.new`, path)
    this.made++
  }

  /** Whether it was there. */
  async #touch(key: string, { validatedAt }: CacheEntry): Promise<boolean> {
    const time = new Date(validatedAt)
    try {
      await utimes(this.#pathOf(key), time, time)
      return true
    } catch {
      return false
    }
  }

  async #paths(): Promise<string[]> {
    const names = await readdir(this.#folder).catch(() => [])
    return names.map((name) => join(this.#folder, name))
  }

  #pathOf(key: string): string {
    return join(this.#folder, `${createHash('sha256').update(key).digest('base64url')}.page`)
  }
}

const NEWLINE = 0x0a

/** Confirmed when it was last touched. */
const parse = (bytes: Buffer, key: string, validatedAt: number): CacheEntry | undefined => {
  const end = bytes.indexOf(NEWLINE)
  const { key: own, length, ...head } = JSON.parse(bytes.subarray(0, end).toString())
  const body = bytes.subarray(end + 1)
  return own === key && length === body.length ? { ...head, body, validatedAt } : undefined
}

const MAX_HEAD_BYTES = 16_384

/** Null where it cannot be read: such a file is nobody's. */
const headOf = async (path: string): Promise<{ organizationId: string; key: string } | null> => {
  try {
    await using file = await open(path)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_HEAD_BYTES))
    const end = buffer.subarray(0, bytesRead).indexOf(NEWLINE)
    return end === -1 ? null : JSON.parse(buffer.subarray(0, end).toString())
  } catch {
    return null
  }
}
