/** Replica that is paused during an export while the page becomes private. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { componentOperations, statusPageOperations } from '@status-page/contracts'
import { createLogger } from '@status-page/service'
import { eventually } from '@status-page/testing'
import t, { type Test } from 'tap'
import { BASE_URL, coreKit } from '../../core.fixture.ts'
import { exportJob } from './jobs.ts'
import { parseExportTarget } from './target.ts'

const program = fileURLToPath(new URL('./export.test-program.ts', import.meta.url))
const LEASE_MS = 400_000
const INTERVAL_MS = 16_000
const CLEAR_AGAIN_MS = 700_000

const kit = await coreKit(t)

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

/** A run that fails on a busy machine is repeated after its interval. */
const filesAreRemoved = (root: string, runAll: () => Promise<void>): Promise<true> => {
  const isEmpty = async () => {
    await runAll()
    if (filesBelow(root).length === 0) return true
    kit.clock.advance(INTERVAL_MS)
    return false
  }
  return eventually(isEmpty, { timeoutMs: 60_000 })
}

/** Starts an export in its own process and pauses it before it writes index.html. */
const stoppedExport = async (t: Test, root: string, mode = ''): Promise<ChildProcess> => {
  const child = fork(program, [kit.url, root, mode])
  t.teardown(() => child.kill('SIGKILL'))
  await once(child, 'message')
  child.kill('SIGSTOP')
  return child
}

const resume = (child: ChildProcess): void => {
  child.kill('SIGCONT')
  child.send('continue')
}

const start = async (t: Test, slug: string) => {
  const root = t.testdir()
  const { run } = exportJob({
    database: kit.database,
    baseUrl: BASE_URL,
    target: parseExportTarget(pathToFileURL(root).href),
    // Shown with the output of a failed test.
    logger: createLogger({ service: 'core', level: 'error', destination: process.stderr }),
  })
  const runAll = async () => {
    while ((await run(new AbortController().signal)) > 0);
  }
  const { request } = kit.as()
  await request(componentOperations.create, { body: { type: 'SERVICE', name: 'API' } })
  const create = { body: { name: `Page ${slug}`, slug, isPublished: true } }
  const { body: page } = await request(statusPageOperations.create, create)
  const update = (body: object) =>
    request(statusPageOperations.update, { params: { id: page.id }, body: body as never })
  return { root, runAll, request, page, update }
}

t.test(
  'a replica paused during a write leaves no file of a page that became private',
  async (t) => {
    const { root, runAll, update } = await start(t, 'paused')
    const child = await stoppedExport(t, root)
    await update({ visibility: 'members' })
    kit.clock.advance(LEASE_MS)
    await filesAreRemoved(root, runAll)
    const ended = once(child, 'exit')
    resume(child)
    await once(child, 'message')
    await ended
    t.same(filesBelow(root), [])
  },
)

for (const [mode, what] of [
  ['killed', 'the file of a replica killed right after a late write'],
  ['draft', 'the draft of a replica killed during a late write'],
] as const) {
  t.test(`${what} is removed`, async (t) => {
    const { root, runAll, update } = await start(t, mode)
    const child = await stoppedExport(t, root, mode)
    await update({ visibility: 'members' })
    kit.clock.advance(LEASE_MS)
    await filesAreRemoved(root, runAll)
    resume(child)
    await once(child, 'message')
    child.kill('SIGKILL')
    await once(child, 'exit')
    t.equal(filesBelow(root).length, 1, 'the late write has completed')
    kit.clock.advance(CLEAR_AGAIN_MS)
    await filesAreRemoved(root, runAll)
  })
}

t.test('a late write into a slug that another page took over is replaced', async (t) => {
  const former = await start(t, 'taken')
  const child = await stoppedExport(t, former.root)
  await former.update({ slug: 'moved' })
  await former.request(statusPageOperations.create, {
    body: { name: 'The new page', slug: 'taken', isPublished: true },
  })
  kit.clock.advance(LEASE_MS)
  const index = join(former.root, 'taken/index.html')
  // An export that failed on a busy machine is repeated after its interval.
  const isExported = async () => {
    await former.runAll()
    if (existsSync(index)) return true
    kit.clock.advance(INTERVAL_MS)
    return false
  }
  await eventually(isExported, { timeoutMs: 60_000 })
  t.match(readFileSync(index, 'utf8'), 'The new page')
  const ended = once(child, 'exit')
  resume(child)
  await ended
  kit.clock.advance(1_000)
  await former.runAll()
  t.match(readFileSync(index, 'utf8'), 'The new page')
  t.match(readFileSync(join(former.root, 'moved/index.html'), 'utf8'), 'Page taken')
})
