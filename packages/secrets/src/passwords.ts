/** Passwords: bcrypt, few at once, so that they never starve the rest of the process. */
import bcrypt from 'bcrypt'
import { createTurns } from './turns.ts'

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
  const inTurn = createTurns({
    atOnce: MAX_AT_ONCE,
    waiting: MAX_WAITING,
    refusal: 'Too many passwords at once',
  })
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
