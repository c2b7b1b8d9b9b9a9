/** Entry point of the gateway process. */
import { run } from '@status-page/service'
import { buildApp } from './app.ts'
import { config } from './config.ts'

await run({ service: 'gateway', config, build: buildApp })
