/** Worker that inspects one document; `sandbox.ts` starts and terminates it. */
import { subscribe } from 'node:diagnostics_channel'
import { parentPort, type Worker, workerData } from 'node:worker_threads'
import { inspectResponse } from './inspect.ts'
import { readMetadata } from './metadata.ts'
import { processorMsOf } from './processor-time.ts'
import type { SandboxMessage, SandboxTask } from './sandbox.ts'
import { XmlError } from './xml.ts'

const REPORT_EVERY_MS = 100

const send = (message: SandboxMessage) => parentPort?.postMessage(message)

/** Reports the processor time of the validator's threads, which the sandbox cannot read. */
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

const work = async (task: SandboxTask) => {
  switch (task.kind) {
    case 'response':
      return inspectResponse(task.text, task.certificates)
    case 'metadata':
      return readMetadata(task.text)
  }
}

/** Reason of a failure; any other error that a library throws means an unreadable document. */
const reasonOf = (error: unknown) => (error instanceof XmlError ? error.reason : 'unreadable')

reportValidators()
send({ ready: true })
try {
  send({ ok: true, value: await work(workerData) })
} catch (error) {
  send({ ok: false, reason: reasonOf(error) })
}
