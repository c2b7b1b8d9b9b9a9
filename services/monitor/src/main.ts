/** Starts the monitor. */
import { run } from '@status-page/service'
import { buildApp } from './app.ts'
import { config } from './config.ts'

await run({ service: 'monitor', config, build: buildApp })
