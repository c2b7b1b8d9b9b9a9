/** One document of a stranger, in a thread of its own; `sandbox.ts` starts it and ends it. */
import { parentPort, workerData } from 'node:worker_threads'
import { inspectAnswer } from './inspect.ts'
import { readMetadata } from './metadata.ts'
import type { Job } from './sandbox.ts'
import { Refused } from './xml.ts'

const work = async (job: Job) => {
  switch (job.kind) {
    case 'answer':
      return inspectAnswer(job.text, job.certificates)
    case 'metadata':
      return readMetadata(job.text)
  }
}

/** Whatever a library throws on such a document is the document's fault. */
const reasonOf = (error: unknown) => (error instanceof Refused ? error.reason : 'unreadable')

parentPort?.postMessage({ ready: true })
try {
  parentPort?.postMessage({ ok: true, value: await work(workerData) })
} catch (error) {
  parentPort?.postMessage({ ok: false, reason: reasonOf(error) })
}
