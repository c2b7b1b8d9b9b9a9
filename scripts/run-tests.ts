/**
 * Runs test files in parallel processes, several in each, on one embedded Postgres, and counts
 * their assertions. tap's own runner is not used: it compiles TypeScript, which this repository
 * does not need.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildDashboardIfChanged, serviceBundles } from '../infra/local/builds.ts'
import { openDataFolder, removeFolder } from '../infra/local/data-folder.ts'
import { startPostgres } from '../infra/local/postgres.ts'
import { startReaper } from '../infra/local/reaper.ts'
import { generateSecrets } from '../infra/local/secrets.ts'
import { startStack } from '../infra/local/stack.ts'
import { type FileOutcome, moduleResolution, runTestFiles } from './test-process.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

interface Batch {
  files: string
  timeoutSeconds: number
  /**
   * Maximum files of one process. Loading the modules of a service takes as much processor time as
   * the tests of two typical files, and starting an installation as much as ten.
   */
  filesPerProcess: number
  /** Duration per byte in relation to other batches; greater for files that wait for intervals. */
  slowness?: number
  /** Runs only when its files are named, as `pnpm faults` does. */
  isNamedOnly?: boolean
  /** Work that each process would do by itself; it is awaited before the first of them starts. */
  prepare?(): Promise<void>
}

/** Files that mostly wait: for leases, redeliveries and intervals of whole installations. */
const waitingFiles: Batch[] = [
  { files: 'e2e/*.test.ts', timeoutSeconds: 600, filesPerProcess: 13 },
  {
    files: 'e2e/dashboard/*.test.ts',
    timeoutSeconds: 600,
    filesPerProcess: 13,
    prepare: buildDashboard,
  },
  { files: 'e2e/faults/*.test.ts', timeoutSeconds: 600, filesPerProcess: 6, slowness: 2 },
  { files: 'e2e/servers/*.test.ts', timeoutSeconds: 600, filesPerProcess: 4, slowness: 2 },
  { files: 'e2e/separate/*.test.ts', timeoutSeconds: 600, filesPerProcess: 1, slowness: 3 },
  { files: 'e2e/long/*.test.ts', timeoutSeconds: 900, filesPerProcess: 1, isNamedOnly: true },
  { files: 'infra/**/*.test.ts', timeoutSeconds: 600, filesPerProcess: 1 },
]

/** Files that mostly compute. */
const computingFiles: Batch[] = [
  { files: 'services/*/src/**/*.test.ts', timeoutSeconds: 600, filesPerProcess: 32 },
  {
    files: 'packages/{agent,bus}/src/**/*.test.ts',
    timeoutSeconds: 600,
    filesPerProcess: 32,
    slowness: 3,
  },
  {
    files: '{packages/!(agent|bus)/{src,build},scripts}/**/*.test.ts',
    timeoutSeconds: 600,
    filesPerProcess: 32,
  },
]

/**
 * More processes than processors, since tests wait. Every other one, from the first, starts with the
 * files that mostly wait, so that both kinds run side by side until the end.
 */
const PROCESSES = availableParallelism() + 3

/** Minimum free memory for the folder of the tests. */
const MIN_MEMORY_BYTES = 6 * 2 ** 30

const selection = process.argv.slice(2).map((path) => resolve(root, path))
const outcomes: FileOutcome[] = []
let dashboardBuild: Promise<void> | undefined

const resources = await testResources()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => void resources.remove().finally(() => process.exit(1)))
}
// Exits when the parent process has died.
process.on('disconnect', () => void resources.remove().finally(() => process.exit(1)))
process.channel?.unref()

try {
  const queues = [waitingFiles, computingFiles].map((batches) =>
    batches.flatMap(chunksOf).sort((left, right) => right.expectedDuration - left.expectedDuration),
  )
  const reversed = queues.toReversed()
  await Promise.all(
    Array.from({ length: PROCESSES }, (_, index) => runChunks(index % 2 === 0 ? queues : reversed)),
  )
} finally {
  await resources.remove()
}
process.exit(printSummary())

interface Chunk {
  files: string[]
  timeoutSeconds: number
  prepare(): Promise<void>
  /** Estimate by the size of the files: the longest chunks start first. */
  expectedDuration: number
}

/** Chunks of neighbouring files, which load the same modules; their lengths differ by one at most. */
function chunksOf({
  files: pattern,
  timeoutSeconds,
  filesPerProcess,
  slowness = 1,
  isNamedOnly = false,
  prepare = async () => {},
}: Batch): Chunk[] {
  if (isNamedOnly && selection.length === 0) return []
  const files = globSync(pattern, { cwd: root }).filter(isSelected).sort()
  const chunks = Math.ceil(files.length / filesPerProcess)
  return Array.from({ length: chunks }, (_, index) => {
    const [start = 0, end] = [index, index + 1].map((at) =>
      Math.round((at * files.length) / chunks),
    )
    const chunk = files.slice(start, end)
    const bytes = chunk.reduce((sum, file) => sum + statSync(join(root, file)).size, 0)
    return { files: chunk, timeoutSeconds, prepare, expectedDuration: bytes * slowness }
  })
}

/** Runs the chunks of the first queue that is not empty until all are. */
async function runChunks(queues: Chunk[][]): Promise<void> {
  const next = () => queues.find((queue) => queue.length > 0)?.shift()
  for (let chunk = next(); chunk !== undefined; chunk = next()) {
    let { files } = chunk
    await chunk.prepare()
    while (files.length > 0) files = await runFiles({ ...chunk, files })
  }
}

function runFiles({ files, timeoutSeconds }: Chunk): Promise<string[]> {
  return runTestFiles(files, {
    root,
    timeoutSeconds,
    environment: {
      ...process.env,
      TMPDIR: resources.folder,
      TEST_DATABASE_URL: resources.url,
      TEST_BUNDLE_DIR: resources.bundleFolder,
      TEST_INSTALLATION_DIR: resources.installation ?? undefined,
      NODE_COMPILE_CACHE: resources.compileCache,
    },
    onOutcome(outcome) {
      outcomes.push(outcome)
      printOutcome(outcome)
    },
  })
}

/** Builds the dashboard once if a browser can show it. The test files report a failed build. */
function buildDashboard(): Promise<void> {
  dashboardBuild ??= buildForBrowser().catch(() => {})
  return dashboardBuild
}

async function buildForBrowser(): Promise<void> {
  const { browserSkipReason } = await import('../infra/local/chromium.ts')
  if (browserSkipReason === false) await buildDashboardIfChanged()
}

function isSelected(file: string): boolean {
  const path = join(root, file)
  return selection.length === 0 || selection.some((wanted) => isWithin(path, wanted))
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder.replace(/\/$/, '')}/`)
}

function printOutcome({
  file,
  passed,
  failures,
  skipped,
  durationMs,
  errorOutput,
}: FileOutcome): void {
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

function printSummary(): number {
  const total = (count: (outcome: FileOutcome) => number) =>
    outcomes.reduce((sum, outcome) => sum + count(outcome), 0)
  const failed = total(({ failures }) => failures.length)
  const skipped = total((outcome) => outcome.skipped)
  const failedFiles = outcomes.filter(({ failures }) => failures.length > 0)
  console.log('')
  if (outcomes.length === 0) console.log(`No test file matches ${process.argv.slice(2).join(' ')}.`)
  for (const { file } of failedFiles) console.log(`failed: ${relative(root, join(root, file))}`)
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
  bundleFolder: string
  /** Data folder of an installation that was never used; null: tests create their own. */
  installation: string | null
  compileCache: string
  remove(): Promise<void>
}> {
  const folder = mkdtempSync(join(folderForTests(), 'status-page-tests-'))
  // For root, Postgres runs as another user, who must be able to traverse the folder.
  chmodSync(folder, 0o711)
  const data = openDataFolder(folder)
  const compileCache = join(folder, 'compiled')
  const reaper = startReaper()
  const building = serviceBundles()
  const usesInstallations = globSync('{e2e/**,infra/local}/*.test.ts', { cwd: root }).some(
    isSelected,
  )
  const installation = usesInstallations ? building.then(() => createInstallation(folder)) : null
  const compiled = selection.length === 0 ? compileSources(compileCache) : null
  const server = await startPostgres({
    dataFolder: data.path,
    password: generateSecrets().superuserPassword,
    disposable: true,
    reaper,
    autoRestart: false,
    log: console.log,
  })
  await compiled
  return {
    folder,
    url: server.adminUrl,
    bundleFolder: await building,
    installation: await installation,
    compileCache,
    async remove() {
      await server.process.abort()
      server.remove()
      reaper.close()
      removeFolder(folder)
    },
  }
}

/**
 * Creates and migrates the database of an installation, of which tests start copies: 0.3 s of
 * processor time each instead of 1.2 s. Null where its files are outside of the data folder.
 */
async function createInstallation(folder: string): Promise<string | null> {
  const dataDir = join(folder, 'installation')
  const stack = await startStack({ dataDir, services: [], natsUrl: null, log: console.log })
  await stack.stop()
  return existsSync(join(dataDir, 'postgres/data')) ? dataDir : null
}

/**
 * Loads the services in a process, which writes their modules to the compile cache at its end. The
 * cache would not be worth it for a single file. Errors are those of the tests.
 */
async function compileSources(compileCache: string): Promise<void> {
  const modules = globSync('services/*/src/app.ts', { cwd: root }).map((path) => join(root, path))
  const imports = [moduleResolution, ...modules].flatMap((path) => ['--import', path])
  const child = spawn(process.execPath, ['--no-warnings', ...imports, '--eval', ''], {
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
    stdio: 'ignore',
  })
  await once(child, 'exit')
}
