/** Passwords: bcrypt, few at once, so that they never starve the rest of the process. */
import { unavailable } from '@status-page/contracts'
import bcrypt from 'bcrypt'

export const COST = 10
/** libuv has four threads; each hash holds one of them for about 60 ms. */
const MAX_AT_ONCE = 4
const MAX_WAITING = 32

/** Of a random text that nobody knows: an unknown account costs what a known one does. */
const DUMMY_HASH = '$2b$10$v.iOR7KoOGpQzx5LecYC9ef0.GgnXvbnF91On5V.5Gx4dl9RchDrG'

export interface Passwords {
  hash(password: string): Promise<string>
  /** A null hash never matches, and takes as long. */
  matches(password: string, hash: string | null): Promise<boolean>
}

export const createPasswords = (): Passwords => {
  let running = 0
  const waiting: (() => void)[] = []

  const enter = async () => {
    if (running < MAX_AT_ONCE) {
      running++
      return
    }
    if (waiting.length >= MAX_WAITING) throw unavailable('Too many passwords at once')
    await new Promise<void>((resolve) => waiting.push(resolve))
  }
  /** The place goes straight to who waits longest. */
  const leave = () => {
    const next = waiting.shift()
    if (next === undefined) running--
    else next()
  }
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    await enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }

  return {
    hash: (password) => inTurn(() => bcrypt.hash(password, COST)),
    matches: (password, hash) =>
      inTurn(async () => {
        const isMatch = await bcrypt.compare(password, hash ?? DUMMY_HASH)
        return isMatch && hash !== null && Buffer.byteLength(password) <= MAX_BYTES
      }),
  }
}

/** bcrypt reads no further; what is longer would match by its beginning. */
const MAX_BYTES = 72
