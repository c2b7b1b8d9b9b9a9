/** Starts config-sync. */
import { fileURLToPath } from 'node:url'
import { runService } from '@status-page/service'
import { buildApp } from './app.ts'
import { config } from './config.ts'

const { env: environment } = process

await runService({
  service: 'config-sync',
  config,
  migrations: fileURLToPath(new URL('../migrations', import.meta.url)),
  build: (resources) => buildApp({ ...resources, environment }),
})
