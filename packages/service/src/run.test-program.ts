/** A service as small as can be, for `run.test.ts`: one operation that answers when it is told to. */
import { once } from 'node:events'
import { route } from './call.ts'
import { defineConfig } from './config.ts'
import { thingOperations } from './contract.test-kit.ts'
import { run } from './run.ts'
import { serve } from './serve.ts'

const { foreign } = thingOperations

await run({
  service: 'core',
  config: defineConfig({}),
  build: (resources) => ({
    http: serve({
      ...resources,
      routes: route(
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
    reactions: [],
    due: [],
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
