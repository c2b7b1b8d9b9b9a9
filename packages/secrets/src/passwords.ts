/**
 * Passwords: bcrypt with limited concurrency, so that threads remain for file reads, DNS and
 * compression.
 */
import { Semaphore } from '@status-page/concurrency'
import bcrypt from 'bcrypt'

export const BCRYPT_COST = 10
const MAX_WAITING = 32

/** Default and maximum of libuv. */
const DEFAULT_THREADS = 4
const MAX_THREADS = 1_024

/**
 * Half of libuv's thread pool: each hash occupies one of its threads for about 60 ms. With hashing
 * on all of them, every file read and DNS lookup of the process waited for the queue of logins.
 */
export const maxConcurrentHashes = (environment: NodeJS.ProcessEnv): number => {
  const { UV_THREADPOOL_SIZE: size } = environment
  // libuv parses it with atoi: text that is no number means one thread.
  const threads = size === undefined ? DEFAULT_THREADS : Number.parseInt(size, 10) || 1
  return Math.max(1, Math.floor(Math.min(threads, MAX_THREADS) / 2))
}

/**
 * Hash that no password matches, so that an unknown account takes as long as a known one: salt and
 * digest of an unknown random text.
 */
const dummyHashOf = (cost: number): string =>
  `$2b$${String(cost).padStart(2, '0')}$v.iOR7KoOGpQzx5LecYC9ef0.GgnXvbnF91On5V.5Gx4dl9RchDrG`

export interface Passwords {
  hash(password: string): Promise<string>
  /** Compares a password; a null hash never matches and takes as long. */
  matches(password: string, hash: string | null): Promise<boolean>
}

/** Tests about other subjects pass a lower cost: at 4, the minimum of bcrypt, a hash takes 1 ms. */
export const createPasswords = ({ cost = BCRYPT_COST }: { cost?: number } = {}): Passwords => {
  const dummyHash = dummyHashOf(cost)
  const semaphore = new Semaphore({
    // biome-ignore lint/style/noProcessEnv: libuv reads this variable itself; it is no setting of ours
    slots: maxConcurrentHashes(process.env),
    maxWaiting: MAX_WAITING,
    rejectionMessage: 'Too many concurrent password checks',
  })
  return {
    hash: (password) => semaphore.run(() => bcrypt.hash(password, cost)),
    matches: (password, hash) =>
      semaphore.run(async () => {
        const isMatch = await bcrypt.compare(password, hash ?? dummyHash)
        return isMatch && hash !== null && Buffer.byteLength(password) <= MAX_BYTES
      }),
  }
}

/** Maximum bytes that bcrypt reads; a longer password would match by its prefix. */
const MAX_BYTES = 72
