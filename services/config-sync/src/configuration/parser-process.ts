/** The parser's own process: one job of one document, then it ends. */
import { locateInYaml, readYaml } from './yaml-reading.ts'
import { type Writing, writeYaml } from './yaml-writing.ts'

export type Job =
  | { kind: 'read'; text: string }
  | { kind: 'locate'; text: string; paths: readonly string[] }
  | ({ kind: 'write' } & Writing)

/** The work of a job; answers `null` where the document is nested too deep for the stack. */
const run = (job: Job): unknown => {
  try {
    return resultOf(job)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

const resultOf = (job: Job): unknown => {
  switch (job.kind) {
    case 'read':
      return readYaml(job.text)
    case 'locate':
      return locateInYaml(job.text, job.paths)
    case 'write':
      return writeYaml(job)
  }
}

process.once('message', (job: Job) => {
  process.send?.({ result: run(job) })
})
// Whoever asked is gone.
process.once('disconnect', () => process.exit())
process.send?.('ready')
