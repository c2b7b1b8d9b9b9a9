/** Entry point of the gateway process. */
import { runService } from '@status-page/service'
import { buildApp } from './app.ts'
import { config } from './config.ts'

await runService({ service: 'gateway', config, build: buildApp })
