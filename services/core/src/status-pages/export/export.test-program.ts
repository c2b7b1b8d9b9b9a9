/** Runs the static export once, as a process that a test stops during a write. */
import { once } from 'node:events'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { pathToFileURL } from 'node:url'
import { connect } from '@status-page/postgres'
import { createLogger } from '@status-page/service'
import { exportJob } from './jobs.ts'
import { parseExportTarget } from './target.ts'

const [url = '', folder = '', mode = ''] = process.argv.slice(2)
const WATCHED = 'index.html'

const database = await connect({ url, service: 'core' })
const target = parseExportTarget(pathToFileURL(folder).href)

if (mode === 'draft') {
  const { rename } = fs
  fs.rename = async (from, to) => {
    if (!String(to).endsWith(WATCHED)) return rename(from, to)
    process.send?.('written')
    // Killed here: the draft is complete.
    await new Promise(() => {})
  }
  syncBuiltinESMExports()
}

// Not a pause by time, which could end before the test has stopped the process.
const resumed = once(process, 'message')
const { run } = exportJob({
  database,
  baseUrl: 'https://status.test',
  logger: createLogger({ service: 'core', level: 'fatal' }),
  target: {
    async write(slug, file) {
      if (file.path !== WATCHED) return target.write(slug, file)
      process.send?.('writing')
      await resumed
      await target.write(slug, file)
      process.send?.('written')
      // Killed here: no check follows the write.
      if (mode === 'killed') await new Promise(() => {})
    },
    remove: target.remove,
  },
})
await run(new AbortController().signal)
await database.close()
process.disconnect()
