/**
 * Runs test files as plain Node programs, in parallel, on one embedded Postgres, and counts their
 * assertions. tap's own runner is not used: it compiles TypeScript, which this repository does not
 * need.
 */
import { chmodSync, globSync, mkdtempSync, readFileSync, statfsSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDataFolder, removeFolder } from '../infra/local/data-folder.ts'
import { startPostgres } from '../infra/local/postgres.ts'
import { startReaper } from '../infra/local/reaper.ts'
import { generateSecrets } from '../infra/local/secrets.ts'
import { type FileOutcome, runTestFile } from './test-file.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * More files than processors, since most of a file's time is waiting. Files of the last phase start
 * whole stacks of their own: busy at first, then waiting for leases to expire and messages to be
 * redelivered.
 */
const processors = availableParallelism()
const phases = [
  {
    files: ['packages', 'services', 'scripts'],
    timeoutSeconds: 180,
    sideBySide: processors + 2,
  },
  { files: ['infra', 'e2e'], timeoutSeconds: 600, sideBySide: processors + 1 },
]

/**
 * Maximum failed files that run again alone, which distinguishes an overloaded machine from a
 * fault. More failures are no coincidence. The report lists files that needed it; they are to be
 * repaired.
 */
const MAX_RUN_AGAIN = 5

/** Minimum free memory for the folder of the tests. */
const MIN_MEMORY_BYTES = 6 * 2 ** 30

type Phase = (typeof phases)[number]

const selection = process.argv.slice(2).map((path) => resolve(root, path))
const outcomes: FileOutcome[] = []
/** Files that failed in parallel and passed alone. */
const unsteady: string[] = []

const resources = await testResources()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => void resources.remove().finally(() => process.exit(1)))
}
// Exits when the parent process has died.
process.on('disconnect', () => void resources.remove().finally(() => process.exit(1)))
process.channel?.unref()

try {
  for (const phase of phases) await runPhase(phase)
  await runAgain()
} finally {
  await resources.remove()
}
process.exit(report())

async function runPhase({ files, timeoutSeconds, sideBySide }: Phase): Promise<void> {
  const waiting = files.flatMap(testFilesIn).filter(isSelected)
  const worker = async () => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      outcomes.push(await run(file, timeoutSeconds))
    }
  }
  await Promise.all(Array.from({ length: sideBySide }, worker))
}

async function runAgain(): Promise<void> {
  const failed = outcomes.filter(({ failures }) => failures.length > 0)
  if (failed.length > MAX_RUN_AGAIN) return
  for (const first of failed) {
    const phase = phases.find(({ files }) => files.some((folder) => isWithin(first.file, folder)))
    if (phase === undefined) continue
    console.log(`again, alone: ${first.file}`)
    const second = await run(first.file, phase.timeoutSeconds)
    if (second.failures.length > 0) continue
    outcomes.splice(outcomes.indexOf(first), 1, second)
    unsteady.push(first.file)
  }
}

async function run(file: string, timeoutSeconds: number): Promise<FileOutcome> {
  const outcome = await runTestFile(file, {
    root,
    timeoutSeconds,
    environment: {
      ...process.env,
      TMPDIR: resources.folder,
      TEST_DATABASE_URL: resources.url,
      // Several hundred programs load mostly the same modules.
      NODE_COMPILE_CACHE: resources.compileCache,
    },
  })
  show(outcome)
  return outcome
}

function testFilesIn(folder: string): string[] {
  const found = globSync(`${folder}/**/*.test.ts`, {
    cwd: root,
    exclude: (path) => path.split('/').includes('node_modules'),
  })
  return found.sort()
}

function isSelected(file: string): boolean {
  const path = join(root, file)
  return selection.length === 0 || selection.some((wanted) => isWithin(path, wanted))
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder.replace(/\/$/, '')}/`)
}

function show({ file, passed, failures, skipped, durationMs, errorOutput }: FileOutcome): void {
  const counts = [
    `${passed} passed`,
    ...(failures.length > 0 ? [`${failures.length} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ]
  const mark = failures.length > 0 ? 'FAIL' : 'ok  '
  console.log(`${mark} ${file}  ${counts.join(', ')}  ${(durationMs / 1000).toFixed(1)} s`)
  for (const failure of failures) console.log(failure.replaceAll(/^/gm, '       '))
  if (failures.length > 0 && errorOutput) console.log(errorOutput.replaceAll(/^/gm, '     | '))
}

function report(): number {
  const total = (count: (outcome: FileOutcome) => number) =>
    outcomes.reduce((sum, outcome) => sum + count(outcome), 0)
  const failed = total(({ failures }) => failures.length)
  const skipped = total((outcome) => outcome.skipped)
  const broken = outcomes.filter(({ failures }) => failures.length > 0)
  console.log('')
  if (outcomes.length === 0) console.log(`No test file matches ${process.argv.slice(2).join(' ')}.`)
  for (const { file } of broken) console.log(`failed: ${relative(root, join(root, file))}`)
  for (const file of unsteady) console.log(`passed alone only: ${file}`)
  if (skipped > 0) console.log(`${skipped} skipped`)
  console.log(`${total(({ passed }) => passed)} passed, ${failed} failed`)
  return failed > 0 || outcomes.length === 0 ? 1 : 0
}

/**
 * Folder for the files of all tests: in memory if `/dev/shm` is large enough and allows programs,
 * because a test's copy of the template database has several hundred files (on two cores 65 ms in
 * memory, 300 ms on ext4). Otherwise the system's temporary folder.
 */
function folderForTests(): string {
  const inMemory = '/dev/shm'
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === inMemory)
    const { bavail, bsize } = statfsSync(inMemory)
    const isUsable = mount !== undefined && !mount.includes('noexec')
    if (isUsable && bavail * bsize >= MIN_MEMORY_BYTES) return inMemory
  } catch {
    // The system has no /dev/shm or /proc/mounts.
  }
  return tmpdir()
}

/** Starts a disposable Postgres in a temporary folder, independent of any `npm start`. */
async function testResources(): Promise<{
  folder: string
  url: string
  compileCache: string
  remove(): Promise<void>
}> {
  const folder = mkdtempSync(join(folderForTests(), 'status-page-tests-'))
  // For root, Postgres runs as another user, who must be able to traverse the folder.
  chmodSync(folder, 0o711)
  const data = openDataFolder(folder)
  const reaper = startReaper()
  const server = await startPostgres({
    dataFolder: data.path,
    password: generateSecrets().superuserPassword,
    disposable: true,
    reaper,
    autoRestart: false,
    log: console.log,
  })
  return {
    folder,
    url: server.adminUrl,
    compileCache: join(folder, 'compiled'),
    async remove() {
      await server.process.abort()
      server.remove()
      reaper.close()
      removeFolder(folder)
    },
  }
}
