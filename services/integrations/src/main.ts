/** Entry point of integrations. */
import { run } from '@status-page/service'
import { buildApp } from './app.ts'
import { config } from './config.ts'

await run({ service: 'integrations', config, build: buildApp })
