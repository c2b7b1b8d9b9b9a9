/** Converter process: converts one image and exits. */
import { flushCompileCache } from 'node:module'
import { Worker } from 'node:worker_threads'
import { convertImage } from './conversion.ts'
import { type ConvertedImage, ImageProblem } from './image.ts'

export type ConversionReply =
  | { kind: 'image'; image: ConvertedImage }
  | { kind: 'problem'; problem: string }

/** A raster image of maximum size takes about 250 MB. */
const MAX_MEMORY_BYTES = 512 * 1024 * 1024
const MEMORY_CHECK_MS = 20
/** Longer than the parent process waits; ends the process when its parent was killed. */
const MAX_LIFETIME_MS = 30_000

/**
 * Ends the process when it exceeds its memory or time: decoders allocate outside of the heap that
 * Node limits. A thread of its own runs while a decoder blocks the main one.
 */
const startGuard = (): void => {
  const program = `const end = () => process.kill(process.pid, 'SIGKILL')
  setTimeout(end, ${MAX_LIFETIME_MS})
  setInterval(() => {
    if (process.memoryUsage.rss() > ${MAX_MEMORY_BYTES}) end()
  }, ${MEMORY_CHECK_MS})`
  new Worker(program, { eval: true }).unref()
}

const convert = async (file: Uint8Array): Promise<ConversionReply> => {
  try {
    return { kind: 'image', image: await convertImage(Buffer.from(file)) }
  } catch (error) {
    if (error instanceof ImageProblem) return { kind: 'problem', problem: error.message }
    throw error
  }
}

startGuard()
process.once('message', async (file: Uint8Array) => {
  process.send?.({ result: await convert(file) })
})
// The parent process ended.
process.once('disconnect', () => process.exit())
// The parent process kills this one, which would otherwise write the cache when it exits.
flushCompileCache()
process.send?.('ready')
