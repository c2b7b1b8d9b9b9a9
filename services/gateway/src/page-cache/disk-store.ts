/**
 * Disk store of the last good responses, for a gateway that starts while core is down. A file is
 * written when a response changes and touched when it is confirmed. No error of the disk fails a
 * request.
 */
import { createHash, randomUUID } from 'node:crypto'
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
/** New files between two checks of the bounds; the bounds may be exceeded by this many. */
const NEW_FILES_PER_CHECK = 500
const ANY_AGE = Number.POSITIVE_INFINITY
const TOUCH_AFTER_MS = 60_000
const MAX_REMEMBERED = 5_000
/**
 * Maximum number of queued writes; further ones are dropped while the disk is slower than the
 * changes.
 */
const MAX_PENDING = 500

export interface DiskStore {
  read(key: string): Promise<CacheEntry | undefined>
  /**
   * Queues the write; `remove` is queued likewise. The queue runs in the background, one at a time.
   */
  write(key: string, entry: CacheEntry): void
  remove(key: string): void
  /** Removes every entry of an organization, because access to its pages changed. */
  purge(organizationId: string): void
  /** Removes entries that are too old to be served, and the oldest ones beyond the bounds. */
  prune(maxAgeMs: number): Promise<void>
  isEmpty(): Promise<boolean>
  /** Resolves when the queue is empty. */
  flushed(): Promise<void>
}

export const noDiskStore: DiskStore = {
  read: async () => undefined,
  write: () => {},
  remove: () => {},
  purge: () => {},
  prune: async () => {},
  isEmpty: async () => true,
  flushed: async () => {},
}

export const createDiskStore = (
  folder: string,
  onError: (error: unknown) => void,
  bounds = BOUNDS,
): DiskStore => {
  const files = new Files(folder)
  const pending = new Map<string, CacheEntry | null>()
  const purgeQueue = new Set<string>()
  const newFilesPerCheck = Math.min(NEW_FILES_PER_CHECK, bounds.files)
  let last = Promise.resolve()

  const queue = (work: () => Promise<void>) => {
    last = last.then(work).catch(onError)
  }

  const applyChange = async (key: string): Promise<void> => {
    const entry = pending.get(key)
    if (entry === undefined) return
    pending.delete(key)
    if (entry === null) await files.remove(key)
    else await files.save(key, entry)
    if (files.created >= newFilesPerCheck) await files.prune(ANY_AGE, bounds)
  }

  const enqueue = (key: string, entry: CacheEntry | null) => {
    const isPending = pending.has(key)
    if (!isPending && entry !== null && pending.size >= MAX_PENDING) return
    pending.set(key, entry)
    if (!isPending) queue(() => applyChange(key))
  }

  return {
    read: (key) => files.read(key),
    write(key, entry) {
      if (!files.isSaved(key, entry)) enqueue(key, entry)
    },
    remove: (key) => enqueue(key, null),
    purge(organizationId) {
      purgeQueue.add(organizationId)
      if (purgeQueue.size > 1) return
      queue(async () => {
        const chosen = new Set(purgeQueue)
        purgeQueue.clear()
        await files.purge(chosen)
      })
    },
    prune: (maxAgeMs) => files.prune(maxAgeMs, bounds).catch(onError),
    isEmpty: () => files.isEmpty(),
    flushed: () => last,
  }
}

class Files {
  readonly #folder: string
  readonly #written = new Map<string, { etag: string; at: number }>()
  /** Files created since the bounds were last checked. */
  created = 0

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

  async save(key: string, entry: CacheEntry): Promise<void> {
    const isStored = this.#written.get(key)?.etag === entry.etag
    // A file that was pruned in the meantime cannot be touched.
    if (!isStored || !(await this.#touch(key, entry))) await this.#create(key, entry)
    if (this.#written.size >= MAX_REMEMBERED) this.#written.clear()
    this.#written.set(key, { etag: entry.etag, at: entry.validatedAt })
  }

  async remove(key: string): Promise<void> {
    this.#written.delete(key)
    await rm(this.#pathOf(key), { force: true })
  }

  async purge(organizationIds: ReadonlySet<string>): Promise<void> {
    for (const path of await this.#paths()) {
      const head = await headOf(path)
      if (head !== null && !organizationIds.has(head.organizationId)) continue
      if (head !== null) this.#written.delete(head.key)
      await rm(path, { force: true })
    }
  }

  async prune(maxAgeMs: number, bounds: DiskBounds): Promise<void> {
    this.created = 0
    const files = await Promise.all(
      (await this.#paths()).map(async (path) => {
        const { mtimeMs = 0, size = 0 } = (await stat(path).catch(() => null)) ?? {}
        return { path, size, at: mtimeMs }
      }),
    )
    const since = Date.now() - maxAgeMs
    const usage = { files: 0, bytes: 0 }
    for (const { path, size, at } of files.toSorted((left, right) => right.at - left.at)) {
      const isWithinBounds =
        at >= since && usage.files < bounds.files && usage.bytes + size <= bounds.bytes
      if (!isWithinBounds) await rm(path, { force: true })
      else {
        usage.files++
        usage.bytes += size
      }
    }
  }

  async #create(key: string, entry: CacheEntry): Promise<void> {
    const path = this.#pathOf(key)
    const time = new Date(entry.validatedAt)
    const { body, organizationId, variants: _variants, ...head } = entry
    const { bytes, encoding, length } = body
    const stored = { encoding, length, size: bytes.length }
    const text = JSON.stringify({ organizationId, key, body: stored, ...head })
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    // Replicas can share the folder, and can write the same entry at the same time.
    const newPath = `${path}.${randomUUID()}`
    await writeFile(newPath, Buffer.concat([Buffer.from(`${text}\n`), bytes]), { mode: 0o600 })
    await utimes(newPath, time, time)
    await rename(newPath, path)
    this.created++
  }

  /** Returns whether the file exists. */
  async #touch(key: string, { validatedAt }: CacheEntry): Promise<boolean> {
    const time = new Date(validatedAt)
    try {
      await utimes(this.#pathOf(key), time, time)
      return true
    } catch {
      return false
    }
  }

  async isEmpty(): Promise<boolean> {
    return (await this.#paths()).length === 0
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

/** Parses a file; its modification time is the time of the last confirmation. */
const parse = (bytes: Buffer, key: string, validatedAt: number): CacheEntry | undefined => {
  const end = bytes.indexOf(NEWLINE)
  const { key: storedKey, body: stored, ...head } = JSON.parse(bytes.subarray(0, end).toString())
  const { size, ...body } = stored ?? {}
  const content = bytes.subarray(end + 1)
  return storedKey === key && size === content.length
    ? { ...head, body: { ...body, bytes: content }, validatedAt, variants: {} }
    : undefined
}

const MAX_HEAD_BYTES = 16_384

/** First line of a file; null where it cannot be read. */
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
