/** Starts the notifier. */
import { runService } from '@status-page/service'
import { buildApp } from './app.ts'
import { config } from './config.ts'

await runService({ service: 'notifier', config, build: buildApp })
