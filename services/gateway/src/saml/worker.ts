/** One document of an unknown sender, in a thread of its own; `sandbox.ts` starts it and ends it. */
import { subscribe } from 'node:diagnostics_channel'
import { parentPort, type Worker, workerData } from 'node:worker_threads'
import { inspectResponse } from './inspect.ts'
import { readMetadata } from './metadata.ts'
import { processorMsOf } from './processor-time.ts'
import type { SandboxMessage, SandboxTask } from './sandbox.ts'
import { XmlError } from './xml.ts'

const REPORT_EVERY_MS = 100

const send = (message: SandboxMessage) => parentPort?.postMessage(message)

/** The validator starts threads of its own, which the sandbox does not see. */
const reportValidators = () => {
  const validators: Worker[] = []
  subscribe('worker_threads', (message) => {
    validators.push((message as { worker: Worker }).worker)
  })
  setInterval(async () => {
    const times = await Promise.all(validators.map(processorMsOf))
    send({ validatorMs: times.reduce((sum, ms) => sum + ms, 0) })
  }, REPORT_EVERY_MS).unref()
}

const work = async (job: SandboxTask) => {
  switch (job.kind) {
    case 'answer':
      return inspectResponse(job.text, job.certificates)
    case 'metadata':
      return readMetadata(job.text)
  }
}

/** Any error that a library throws on such a document is the fault of the document. */
const reasonOf = (error: unknown) => (error instanceof XmlError ? error.reason : 'unreadable')

reportValidators()
send({ ready: true })
try {
  send({ ok: true, value: await work(workerData) })
} catch (error) {
  send({ ok: false, reason: reasonOf(error) })
}
