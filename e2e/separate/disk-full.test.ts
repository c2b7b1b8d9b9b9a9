/**
 * The disk of Postgres, NATS, logs and cached pages is full: changes are refused with Retry-After,
 * pages stay, and after space is freed nothing is lost. Needs root, which mounts a small disk.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { incidentOperations, publicOperations } from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import t, { type Test } from 'tap'
import { assertDelivered, assertIdle } from '../kit/delivery-ledger.ts'
import { createScenario } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const DISK_MIB = 320
const CHUNK = Buffer.alloc(64 * 1024)
const REFUSED_WITHIN_MS = 60_000
const RECOVERED_WITHIN_MS = 90_000
const SLUG = 'disk-full'

/** Mounts a disk of its own; null without the permission to. */
const mountDisk = (t: Test): string | null => {
  const disk = mkdtempSync(join(tmpdir(), 'status-page-disk-'))
  t.teardown(() => {
    spawnSync('umount', ['--lazy', disk])
    rmSync(disk, { recursive: true, force: true })
  })
  const size = `size=${DISK_MIB}m`
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', disk]).status !== 0) return null
  // Postgres runs as another account when this process is root.
  chmodSync(disk, 0o755)
  return disk
}

/** Writes until the disk is full; returns the file to delete. */
const fill = (disk: string): string => {
  const path = join(disk, 'filler')
  const file = openSync(path, 'a')
  try {
    while (writeSync(file, CHUNK) > 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(file)
  }
  return path
}

const disk = mountDisk(t)
const skip = disk === null ? 'this account cannot mount a disk' : false
t.test('a full disk refuses changes, keeps pages, and loses nothing', { skip }, async (t) => {
  const world = await startWorld(t, {
    parentFolder: disk ?? '',
    durable: true,
    hasShortIntervals: true,
  })
  const scenario = await createScenario(t, world, { name: SLUG })
  const page = () => world.api.request(publicOperations.status, { params: { slug: SLUG } })
  const incident = await scenario.open('Before')
  await scenario.allDelivered()
  t.equal((await page()).status, 200)

  const filler = fill(disk ?? '')
  const create = (index: number) =>
    scenario.tenant.api.request(incidentOperations.create, {
      body: {
        title: `Full ${index}`,
        message: 'x'.repeat(20_000),
        componentStatuses: { [scenario.component.id]: 'partial_outage' },
      },
    })
  let index = 0
  const refused = await eventually(
    async () => {
      const response = await create(index++)
      if (response.status === 201) {
        scenario.expectMessage('incident.created', JSON.parse(response.text))
        return undefined
      }
      return response
    },
    { timeoutMs: REFUSED_WITHIN_MS },
  )
  t.equal(refused.status, 503, refused.text)
  t.ok(refused.headers.has('retry-after'))
  t.equal((await page()).status, 200, 'the page is served from the cache')

  rmSync(filler)
  const isWritable = async () => {
    const found = await scenario.findIncident('Before').catch(() => undefined)
    return found !== undefined
  }
  await eventually(isWritable, { timeoutMs: RECOVERED_WITHIN_MS })
  for (let refusedIndex = 0; refusedIndex < index; refusedIndex++) {
    const found = await scenario.findIncident(`Full ${refusedIndex}`)
    const isExpected = scenario.expectedMessages.some(({ incidentId }) => incidentId === found?.id)
    // A request whose response was lost may have been committed.
    if (found !== undefined && !isExpected) scenario.expectMessage('incident.created', found)
  }
  await scenario.move(incident, 'resolved')
  await scenario.allDelivered(RECOVERED_WITHIN_MS)
  await assertIdle(t, world)
  assertDelivered(t, scenario.expectedMessages, scenario.hook.received())
})
