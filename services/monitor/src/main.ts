/** Entry point of the monitor. */

import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runService } from '@status-page/service'
import { buildApp } from './app.ts'
import { config } from './config.ts'

/**
 * Heap growth for many long-lived targets: with 50 % growth 100,000 targets take 360 MiB instead of
 * 655. More frequent collections would delay checks.
 */
setFlagsFromString('--heap-growing-percent=50')

const migrations = fileURLToPath(new URL('../migrations', import.meta.url))

await runService({ service: 'monitor', config, migrations, build: buildApp })
