/** Replicated servers of an installation on loopback: three of NATS, and two of Postgres. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startReaper } from '../local/reaper.ts'
import { type ReplicatedNats, startNatsCluster } from './nats-cluster.ts'
import { type PostgresPair, startPostgresPair } from './postgres-pair.ts'

export type { Link } from './link.ts'

export interface ReplicatedServers {
  nats: ReplicatedNats
  postgres: PostgresPair
  /** Kills the servers and deletes their files. */
  abort(): Promise<void>
}

export async function startReplicatedServers(
  log: (line: string) => void,
): Promise<ReplicatedServers> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'status-page-servers-'))
  // Postgres runs as another account when this process is root.
  chmodSync(dataFolder, 0o755)
  const reaper = startReaper()
  const options = { dataFolder, reaper, log }
  const nats = await startNatsCluster(options)
  const postgres = await startPostgresPair(options)
  return {
    nats,
    postgres,
    async abort() {
      await Promise.all([nats.abort(), postgres.abort()])
      reaper.close()
      rmSync(dataFolder, { recursive: true, force: true })
    },
  }
}
