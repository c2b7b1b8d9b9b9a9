/** Starts the monitor. */
import { setFlagsFromString } from 'node:v8'
import { run } from '@status-page/service'
import { buildApp } from './app.ts'
import { config } from './config.ts'

/**
 * Of many targets, which live long: swept when they have grown by half, 100,000 of them take 360 MiB
 * instead of the 655 that the heap would grow to by itself. Swept sooner, checks would come late.
 */
setFlagsFromString('--heap-growing-percent=50')

await run({ service: 'monitor', config, build: buildApp })
