/**
 * Minimal service for `run.test.ts`: one operation that responds on a message of the parent
 * process.
 */
import { once } from 'node:events'
import { readFile } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createRoutes } from './call.ts'
import { defineConfig } from './config.ts'
import { thingOperations } from './contract.test-kit.ts'
import { runService } from './run.ts'
import { serve } from './serve.ts'

const ONE_HOUR_MS = 3_600_000

const { foreign } = thingOperations

// Occupies a thread until the end of the process, as a lookup without a response does.
const { BLOCKING_FILE } = process.env
if (BLOCKING_FILE !== undefined) readFile(BLOCKING_FILE, () => {})

await runService({
  service: 'core',
  config: defineConfig({}),
  migrations: fileURLToPath(new URL('../../../services/core/migrations', import.meta.url)),
  build: (resources) => ({
    http: serve({
      ...resources,
      routes: createRoutes(
        { foreign },
        {
          async foreign() {
            process.send?.('asked')
            const [message] = await once(process, 'message')
            return { got: message }
          },
        },
      ),
    }),
    eventHandlers: [],
    jobs: [
      {
        name: 'bell',
        intervalMs: ONE_HOUR_MS,
        async run() {
          process.send?.('rang')
          return 0
        },
      },
      {
        name: 'slow',
        intervalMs: ONE_HOUR_MS,
        async run(signal) {
          await once(signal, 'abort')
          await nextTurn()
          process.send?.('work ended')
          return 0
        },
      },
    ],
    wakeOn: { program_bell: ['bell'] },
    background: [
      {
        start: async () => void process.send?.('started'),
        stop: async () => {
          process.send?.('stopped')
          process.disconnect()
        },
      },
    ],
  }),
})
