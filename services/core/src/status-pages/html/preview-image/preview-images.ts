/**
 * Cache of link preview images as PNG. Rendering takes a few tenths of a second and runs in a child
 * process: it never blocks the event loop, and an error in native code ends that process alone.
 */

import { fileURLToPath } from 'node:url'
import { createTaskRunner, Semaphore } from '@status-page/concurrency'
import { unavailable } from '@status-page/contracts'
import { LRUCache } from 'lru-cache'
import { type PreviewImageInput, previewImageSvg } from './preview-image-svg.ts'

/** Maximum number of cached images, about 50 kB each. */
const MAX_CACHED = 256
const MAX_CONCURRENT = 1
const MAX_WAITING = 32
const TIMEOUT_MS = 10_000
const MAX_HEAP_MB = 64

export interface PreviewImages {
  png(input: PreviewImageInput): Promise<Buffer>
}

export const createPreviewImages = (): PreviewImages => {
  const cache = new LRUCache<string, Promise<Buffer>>({ max: MAX_CACHED })
  const semaphore = new Semaphore({
    slots: MAX_CONCURRENT,
    maxWaiting: MAX_WAITING,
    rejectionMessage: 'Too many preview images are being rendered',
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

const PROGRAM = fileURLToPath(new URL('./preview-image-process.ts', import.meta.url))

const runTask = createTaskRunner({
  program: PROGRAM,
  maxHeapMb: MAX_HEAP_MB,
  timeoutMs: TIMEOUT_MS,
  idleMs: 0,
  onStartFailure: () => unavailable('The preview image could not be rendered'),
  onTaskFailure: () => unavailable('Rendering the preview image failed or timed out'),
})

const render = async (input: PreviewImageInput): Promise<Buffer> =>
  Buffer.from((await runTask(previewImageSvg(input))) as Uint8Array)
