/** Starts core. */
import { fileURLToPath } from 'node:url'
import { runService } from '@status-page/service'
import { buildApp } from './app.ts'
import { config } from './config.ts'

const migrations = fileURLToPath(new URL('../migrations', import.meta.url))

await runService({ service: 'core', config, migrations, build: buildApp })
