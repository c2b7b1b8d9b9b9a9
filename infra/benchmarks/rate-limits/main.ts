/**
 * `pnpm --filter infra benchmark:rate-limits`: processor time of one charge of a window in memory,
 * in write-behind, of one that gateways share, and of one that is full.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, serviceUrl } from '@status-page/postgres'
import { createCounting } from '../../../services/gateway/src/limits/counting.ts'
import { chargeSharedWindows } from '../../../services/gateway/src/limits/store.ts'
import { loadSecrets } from '../../local/secrets.ts'
import { startStack } from '../../local/stack.ts'
import { printMachine, printTable } from '../measure/print.ts'
import { numberSetting } from '../measure/settings.ts'

const CHARGES = numberSetting('CHARGES', 200_000)
const SHARED_CHARGES = numberSetting('SHARED_CHARGES', 20_000)
const CONCURRENCY = 64
const AMPLE = 1_000_000
const window = { windowMs: 60_000, capacity: AMPLE }

const measure = async (name: string, charges: number, work: () => unknown): Promise<string[]> => {
  const memoryBefore = process.memoryUsage().heapUsed
  const cpuBefore = process.cpuUsage()
  const started = performance.now()
  await work()
  const seconds = (performance.now() - started) / 1_000
  const { user, system } = process.cpuUsage(cpuBefore)
  const grownMib = (process.memoryUsage().heapUsed - memoryBefore) / 2 ** 20
  return [
    name,
    (charges / seconds).toFixed(0),
    ((user + system) / charges).toFixed(2),
    grownMib.toFixed(0),
  ]
}

await printMachine()
const dataDir = mkdtempSync(join(tmpdir(), 'benchmark-limits-'))
const stack = await startStack({
  dataDir,
  disposable: true,
  services: [],
  natsUrl: null,
  log: () => {},
})
try {
  const password = loadSecrets(dataDir, true).databasePasswords.gateway
  const url = serviceUrl(stack.adminUrl, 'gateway', password)
  const database = await connect({ url, service: 'gateway' })
  const inMemory = (keys: number) => () => {
    const counting = createCounting({ database })
    for (let count = 0; count < CHARGES; count++) {
      counting.chargeLocally(`address-${count % keys}`, window)
    }
  }
  const keysOf = (name: string, count: number) =>
    Array.from({ length: count }, (_none, index) => `${name}-${index}`)
  /** Charges windows in advance; from half of the capacity on, no charge is write-behind. */
  const fill = (keys: readonly string[], amount: number) =>
    chargeSharedWindows(
      database,
      keys.map((key) => ({ key, ...window, amount })),
    )
  const share = (keys: readonly string[], capacity: number, gateways: number) => async () => {
    const countings = Array.from({ length: gateways }, () => createCounting({ database }))
    let charged = 0
    const work = async (_none: unknown, index: number) => {
      const counting = countings[index % gateways]
      while (charged < SHARED_CHARGES) {
        await counting?.charge(keys[charged++ % keys.length] ?? '', { ...window, capacity })
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, work))
  }
  const measureCharges = (name: string, ...parameters: Parameters<typeof share>) =>
    measure(`${name}, ${CONCURRENCY} concurrent`, SHARED_CHARGES, share(...parameters))
  const measureShared = async (name: string, keyCount: number, gateways: number) => {
    const keys = keysOf(name, keyCount)
    await fill(keys, AMPLE / 2)
    return measureCharges(name, keys, AMPLE, gateways)
  }
  printTable(
    ['a charge', 'charges/s', 'CPU µs each', 'heap MiB'],
    [
      await measure('in memory, 100 keys', CHARGES, inMemory(100)),
      await measure('in memory, 100,000 keys', CHARGES, inMemory(100_000)),
      await measure('in memory, a new key each', CHARGES, inMemory(CHARGES)),
      await measureCharges('write-behind, 1,000 keys', keysOf('write-behind', 1_000), AMPLE, 1),
      await measureShared('shared, one key', 1, 1),
      await measureShared('shared, 1,000 keys', 1_000, 1),
      await measureShared('shared by two gateways, one key', 1, 2),
      await measureShared('shared by two gateways, 1,000 keys', 1_000, 2),
      await measureCharges('full, 1,000 keys', keysOf('full', 1_000), 1, 1),
    ],
  )
  await database.close()
} finally {
  await stack.stop()
}
process.exit(0)
