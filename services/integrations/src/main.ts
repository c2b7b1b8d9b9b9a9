/** Entry point of integrations. */
import { runService } from '@status-page/service'
import { buildApp } from './app.ts'
import { config } from './config.ts'

await runService({ service: 'integrations', config, build: buildApp })
