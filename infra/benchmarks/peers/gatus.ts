/** Gatus with its SQLite storage: one process, configured by a YAML file. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { freePort } from '../../local/ports.ts'
import { processAndDescendants, processorMicros } from '../measure/processes.ts'
import { waitForResponse } from '../measure/wait-for-response.ts'
import type { Peer, PeerOptions } from './peer.ts'

/** Starts the program at `path`. Its API serves pages of 20 endpoints. */
export const startGatus = async (
  path: string,
  { urls, intervalSeconds }: PeerOptions,
): Promise<Peer> => {
  const folder = mkdtempSync(join(tmpdir(), 'benchmark-gatus-'))
  const port = await freePort()
  const config = {
    web: { address: '127.0.0.1', port },
    storage: { type: 'sqlite', path: join(folder, 'gatus.db') },
    // Unlimited; the default of 3 does not reach the interval with many endpoints.
    concurrency: 0,
    endpoints: urls.map((url, index) => ({
      name: `target-${index}`,
      url,
      interval: `${intervalSeconds}s`,
      conditions: ['[STATUS] == 200'],
    })),
  }
  const configFile = join(folder, 'config.yaml')
  writeFileSync(configFile, stringify(config))
  const child = spawn(path, [], {
    stdio: 'ignore',
    env: { GATUS_CONFIG_PATH: configFile, GATUS_LOG_LEVEL: 'WARN' },
  })
  const readUrl = `http://127.0.0.1:${port}/api/v1/endpoints/statuses`
  await waitForResponse(readUrl)
  const micros = () => processorMicros(processAndDescendants(child.pid ?? 0))
  return {
    readUrl,
    checkingMicros: micros,
    readingMicros: micros,
    async stop() {
      child.kill()
      await once(child, 'exit')
    },
  }
}
