/**
 * Cache of link preview images as PNG. Rendering takes a few tenths of a second and runs in a
 * worker thread, so that it never blocks the event loop.
 */

import { Worker } from 'node:worker_threads'
import { Semaphore, withTimeout } from '@status-page/concurrency'
import { unavailable } from '@status-page/contracts'
import { LRUCache } from 'lru-cache'
import type { PreviewImageInput } from './preview-image-svg.ts'

/** Maximum number of cached images, about 50 kB each. */
const MAX_CACHED = 256
const MAX_CONCURRENT = 1
const MAX_WAITING = 32
const DEADLINE_MS = 10_000
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 }

export interface PreviewImages {
  png(input: PreviewImageInput): Promise<Buffer>
}

export const createPreviewImages = (): PreviewImages => {
  const cache = new LRUCache<string, Promise<Buffer>>({ max: MAX_CACHED })
  const semaphore = new Semaphore({
    slots: MAX_CONCURRENT,
    maxWaiting: MAX_WAITING,
    rejectionMessage: 'Too many pictures are being rendered',
  })
  return {
    png(input) {
      const key = JSON.stringify(input)
      const png = cache.get(key) ?? semaphore.run(() => render(input))
      cache.set(key, png)
      png.catch(() => cache.delete(key))
      return png
    },
  }
}

const render = async (input: PreviewImageInput): Promise<Buffer> => {
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const worker = new Worker(new URL('preview-image-worker.ts', import.meta.url), {
    workerData: input,
    env: {},
    resourceLimits,
  })
  worker.on('message', resolve)
  worker.on('error', reject)
  worker.on('exit', (code) => reject(new Error(`No picture was drawn (${code})`)))
  try {
    const png = await withTimeout(promise, DEADLINE_MS, () => {
      throw unavailable('Rendering the picture timed out')
    })
    return Buffer.from(png)
  } finally {
    await worker.terminate()
  }
}
