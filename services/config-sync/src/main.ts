/** Starts config-sync. */
import { runService } from '@status-page/service'
import { buildApp } from './app.ts'
import { config } from './config.ts'

const { env: environment } = process

await runService({
  service: 'config-sync',
  config,
  build: (resources) => buildApp({ ...resources, environment }),
})
