/** Parser process: runs tasks one after the other, each on one document. */
import { flushCompileCache } from 'node:module'
import { locateInYaml, readYaml } from './yaml-reading.ts'
import { writeYaml, type YamlWriteTask } from './yaml-writing.ts'

export type ParserTask =
  | { kind: 'read'; text: string }
  | { kind: 'locate'; text: string; paths: readonly string[] }
  | ({ kind: 'write' } & YamlWriteTask)

/** Returns null if the document is nested too deep for the stack. */
const run = (task: ParserTask): unknown => {
  try {
    return runTask(task)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

const runTask = (task: ParserTask): unknown => {
  switch (task.kind) {
    case 'read':
      return readYaml(task.text)
    case 'locate':
      return locateInYaml(task.text, task.paths)
    case 'write':
      return writeYaml(task)
  }
}

process.on('message', (task: ParserTask) => {
  process.send?.({ result: run(task) })
})
// The parent process ended.
process.once('disconnect', () => process.exit())
// The parent process kills this one, which would otherwise write the cache when it exits.
flushCompileCache()
process.send?.('ready')
