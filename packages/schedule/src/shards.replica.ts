/** Replica in its own process, controlled over the IPC channel, for tests that stop and kill it. */
import { connect } from '@status-page/postgres'
import { pino } from 'pino'
import { createShards } from './shards.ts'

const WATCH_MS = 5
const [url = '', replicaId = '', times = '{}'] = process.argv.slice(2)
const { ttlMs } = JSON.parse(times)
const say = (message: object) => process.send?.(message)

const shards = createShards({
  database: await connect({ url, service: 'monitor' }),
  replicaId,
  logger: pino({ level: 'silent' }),
  onAcquired: () => say({ held: shards.held().length }),
  onReleased: (lost) => say({ lost: lost.length }),
  ...JSON.parse(times),
})

let lookedAt = performance.now()
setInterval(() => {
  const now = performance.now()
  // Checked first after a long stop, before any response of the database.
  if (now - lookedAt > ttlMs) say({ heldWhenWoken: shards.held().length })
  lookedAt = now
}, WATCH_MS)
await shards.start()
