/** Check of the folders of the settings: free space, and a write that reaches the disk. */
import { mkdtemp, open, rm, stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Diagnosis, failed, ok, reasonOf, warning } from './finding.ts'
import type { Settings } from './settings.ts'

const MIB = 1024 * 1024
/** Free space below which a warning is given: a tenth of the disk, at most 2 GiB. */
const WARNING_SHARE = 0.1
const MAX_WARNING_BYTES = 2048 * MIB
const MIN_FREE_BYTES = 64 * MIB
const PROBE_BYTES = 4_096

/** Folders of one file system are checked once. */
export const checkDisks = async (settings: Settings): Promise<Diagnosis[]> => {
  const { DATA_DIR, PAGE_CACHE_DIR, MAIL_DIR } = settings
  const folders = [DATA_DIR, PAGE_CACHE_DIR, MAIL_DIR, tmpdir()].filter(
    (path) => path !== undefined,
  )
  const devices = new Set<number>()
  const results: Diagnosis[] = []
  for (const folder of folders) {
    try {
      const { dev } = await stat(folder)
      if (devices.has(dev)) continue
      devices.add(dev)
      results.push(await checkFolder(folder))
    } catch (error) {
      results.push(folderFailure(folder, error))
    }
  }
  return results
}

const folderFailure = (folder: string, error: unknown): Diagnosis => {
  const isAbsent = (error as { code?: unknown }).code === 'ENOENT'
  const message = `${folder} cannot be written: ${reasonOf(error)}.`
  return isAbsent
    ? failed(message, 'Create the folder, or correct the setting; `npm start` creates its own.')
    : failed(message, 'Free space, or remount the file system with write access for this user.')
}

const checkFolder = async (folder: string): Promise<Diagnosis> => {
  await writeProbe(folder)
  const { bavail, bsize, blocks } = await statfs(folder)
  const [free, total] = [bavail * bsize, blocks * bsize]
  const summary = `${folder} has ${Math.round(free / MIB)} of ${Math.round(total / MIB)} MiB free.`
  const remedy = 'Add space, or lower CHECK_RETENTION_DAYS and AUDIT_RETENTION_DAYS.'
  if (free < MIN_FREE_BYTES) return failed(summary, remedy)
  const isLow = free < Math.min(total * WARNING_SHARE, MAX_WARNING_BYTES)
  return isLow ? warning(summary, remedy) : ok(summary)
}

const writeProbe = async (folder: string): Promise<void> => {
  const probe = await mkdtemp(join(folder, 'doctor-'))
  try {
    const file = await open(join(probe, 'probe'), 'w', 0o600)
    try {
      await file.write(Buffer.alloc(PROBE_BYTES))
      await file.sync()
    } finally {
      await file.close()
    }
  } finally {
    await rm(probe, { recursive: true, force: true })
  }
}
