/** This product: gateway, core and monitor with Postgres and NATS. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startStack } from '../../local/stack.ts'
import { registerOwner } from '../measure/owner.ts'
import { processAndDescendants, processorMicros } from '../measure/processes.ts'
import { waitForResponse } from '../measure/wait-for-response.ts'
import { PAGE_SIZE, type Peer, type PeerOptions } from './peer.ts'

const SLUG = 'peers'
const CREATED_AT_ONCE = 8

export const startProduct = async ({ urls, intervalSeconds }: PeerOptions): Promise<Peer> => {
  const stack = await startStack({
    dataDir: mkdtempSync(join(tmpdir(), 'benchmark-peers-')),
    services: ['gateway', 'core', 'monitor'],
    env: {
      OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
      RATE_LIMIT_MULTIPLIER: '1000000',
      LOG_LEVEL: 'warn',
    },
    disposable: true,
    log: () => {},
  })
  const { gateway, monitor } = stack.processes
  const { send } = await registerOwner(gateway.origin)
  const ids: string[] = []
  const create = async (index: number) => {
    const body = {
      type: 'ENDPOINT',
      name: `Target ${index}`,
      url: urls[index],
      checkInterval: intervalSeconds,
      conditions: [{ type: 'STATUS_CODE', comparator: 'EQUALS', target: '200' }],
    }
    ids[index] = (await send<{ id: string }>('POST', '/components', body)).id
  }
  let next = 0
  const createAll = async () => {
    while (next < urls.length) await create(next++)
  }
  await Promise.all(Array.from({ length: CREATED_AT_ONCE }, createAll))
  const components = ids.slice(0, PAGE_SIZE).map((componentId) => ({ componentId }))
  await send('POST', '/status-pages', { name: 'Peers', slug: SLUG, isPublished: true, components })
  const readUrl = `${gateway.origin}/api/v1/public/status/${SLUG}`
  await waitForResponse(readUrl)
  const microsOf = (...pids: (number | undefined)[]) =>
    processorMicros(pids.flatMap((pid) => (pid === undefined ? [] : processAndDescendants(pid))))
  return {
    readUrl,
    checkingMicros: () => microsOf(monitor.pid, stack.postgres?.pid),
    readingMicros: () => microsOf(gateway.pid),
    stop: () => stack.stop(),
  }
}
