/** Authorization of nats-server for the installations that share it, named by their prefixes. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { natsPermissions, type RegisteredConsumer } from '@status-page/bus/permissions'
import { events } from '@status-page/contracts'

/** Consumers as the migrations register them; a test of packages/bus compares and writes the file. */
const consumersFile = fileURLToPath(new URL('consumers.json', import.meta.url))

export function natsPermissionsOf(prefixes: readonly string[]): string {
  const consumers: RegisteredConsumer[] = JSON.parse(readFileSync(consumersFile, 'utf8'))
  return natsPermissions({ events, consumers }, prefixes)
}
