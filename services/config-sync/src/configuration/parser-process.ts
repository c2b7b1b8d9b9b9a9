/** The parser's own process: one job of one document, then it ends. */
import { locateInYaml, readYaml } from './yaml-reading.ts'
import { writeYaml, type YamlWriteTask } from './yaml-writing.ts'

export type ParserTask =
  | { kind: 'read'; text: string }
  | { kind: 'locate'; text: string; paths: readonly string[] }
  | ({ kind: 'write' } & YamlWriteTask)

/** The work of a job; answers `null` where the document is nested too deep for the stack. */
const run = (job: ParserTask): unknown => {
  try {
    return resultOf(job)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

const resultOf = (job: ParserTask): unknown => {
  switch (job.kind) {
    case 'read':
      return readYaml(job.text)
    case 'locate':
      return locateInYaml(job.text, job.paths)
    case 'write':
      return writeYaml(job)
  }
}

process.once('message', (job: ParserTask) => {
  process.send?.({ result: run(job) })
})
// Whoever asked is gone.
process.once('disconnect', () => process.exit())
process.send?.('ready')
