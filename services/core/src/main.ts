/** Starts core. */
import { runService } from '@status-page/service'
import { buildApp } from './app.ts'
import { config } from './config.ts'

await runService({ service: 'core', config, build: buildApp })
