/** Entry point of the gateway process. */
import { fileURLToPath } from 'node:url'
import { runService } from '@status-page/service'
import { buildApp } from './app.ts'
import { config } from './config.ts'

const migrations = fileURLToPath(new URL('../migrations', import.meta.url))

await runService({ service: 'gateway', config, migrations, build: buildApp })
