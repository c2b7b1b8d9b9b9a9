/** Starts config-sync. */
import { run } from '@status-page/service'
import { buildApp } from './app.ts'
import { config } from './config.ts'

const { env: environment } = process

await run({
  service: 'config-sync',
  config,
  build: (resources) => buildApp({ ...resources, environment }),
})
