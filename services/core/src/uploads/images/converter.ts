/**
 * Converts uploaded images in child processes: one image per process, without the
 * environment of core, with little memory and a deadline. A decoder that fails on a crafted file ends its process alone. One
 * runs at a time, shared fairly between organizations.
 */
import { fileURLToPath } from 'node:url'
import { createTaskRunner, Semaphore } from '@status-page/concurrency'
import { invalid, unavailable } from '@status-page/contracts'
import type { ConversionReply } from './converter-process.ts'
import type { ConvertedImage } from './image.ts'

const MAX_RUNNING = 1
const MAX_WAITING_PER_ORGANIZATION = 4
const MAX_WAITING = 32
/** Maximum time in the queue; with the conversion itself below the timeout of the gateway. */
const QUEUE_TIMEOUT_MS = 10_000
const MAX_HEAP_MB = 128
/** Images of maximum size take about a second, several times as much under load. */
const TIMEOUT_MS = 8_000

export interface ImageConverter {
  /** Throws 400 for a file that is not an image or exceeds a limit of images. */
  convert(file: Buffer, organizationId: string): Promise<ConvertedImage>
}

export const createImageConverter = (): ImageConverter => {
  const semaphore = new Semaphore({
    slots: MAX_RUNNING,
    maxWaitingPerKey: MAX_WAITING_PER_ORGANIZATION,
    maxWaiting: MAX_WAITING,
    waitMs: QUEUE_TIMEOUT_MS,
    rejectionMessage: 'Too many images are being processed',
  })
  return {
    async convert(file, organizationId) {
      const reply = await semaphore.run(() => convertInProcess(file), organizationId)
      if (reply.kind === 'problem') throw refuse(reply.problem)
      return { ...reply.image, content: Buffer.from(reply.image.content) }
    },
  }
}

const PROGRAM = fileURLToPath(new URL('./converter-process.ts', import.meta.url))

const refuse = (problem: string) => invalid({ field: 'file', message: `file ${problem}` })

const runTask = createTaskRunner({
  program: PROGRAM,
  maxHeapMb: MAX_HEAP_MB,
  timeoutMs: TIMEOUT_MS,
  idleMs: 0,
  onStartFailure: () => unavailable('The image could not be processed'),
  onTaskFailure: () => refuse('is too complex'),
})

const convertInProcess = async (file: Buffer): Promise<ConversionReply> =>
  (await runTask(file)) as ConversionReply
