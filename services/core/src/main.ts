/** Starts core. */
import { run } from '@status-page/service'
import { buildApp } from './app.ts'
import { config } from './config.ts'

await run({ service: 'core', config, build: buildApp })
