/**
 * Cache of page pictures as PNG. Rendering takes a few tenths of a second and runs in a worker
 * thread, so that it never blocks the event loop.
 */
import { Worker } from 'node:worker_threads'
import { unavailable } from '@status-page/contracts'
import { createBoundedQueue } from '@status-page/secrets'
import type { Pictured } from './picture.ts'

/** About 50 kB each. */
const MAX_KEPT = 256
const AT_ONCE = 1
const MAX_WAITING = 32
const DEADLINE_MS = 10_000
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 }

export interface Pictures {
  png(pictured: Pictured): Promise<Buffer>
}

export const createPictures = (): Pictures => {
  const kept = new Map<string, Promise<Buffer>>()
  const inTurn = createBoundedQueue({
    atOnce: AT_ONCE,
    waiting: MAX_WAITING,
    refusal: 'Too many pictures are being rendered',
  })
  return {
    png(pictured) {
      const key = JSON.stringify(pictured)
      const drawn = kept.get(key) ?? inTurn(() => draw(pictured))
      // The last one to be forgotten.
      kept.delete(key)
      kept.set(key, drawn)
      drawn.catch(() => kept.delete(key))
      const [oldest] = kept.keys()
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest)
      return drawn
    },
  }
}

const draw = async (pictured: Pictured): Promise<Buffer> => {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const worker = new Worker(new URL('picture-worker.ts', import.meta.url), {
    workerData: pictured,
    env: {},
    resourceLimits,
  })
  const timer = setTimeout(
    () => reject(unavailable('Rendering the picture timed out')),
    DEADLINE_MS,
  )
  worker.on('message', resolve)
  worker.on('error', reject)
  worker.on('exit', (code) => reject(new Error(`No picture was drawn (${code})`)))
  try {
    return Buffer.from(await promise)
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
