import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import type { TestTask } from './child-process.test-program.ts'
import { createTaskRunner, type TaskProgram } from './child-process.ts'

const SHORT_MS = 2_000

const program = fileURLToPath(new URL('./child-process.test-program.ts', import.meta.url))

const runner = (options: Partial<TaskProgram>) => {
  const runTask = createTaskRunner({
    program,
    maxHeapMb: 32,
    timeoutMs: 30_000,
    idleMs: 60_000,
    onStartFailure: () => new Error('start failed'),
    onTaskFailure: () => new Error('task failed'),
    ...options,
  })
  return (task: TestTask) => runTask(task)
}

const isRunning = (pid: unknown): boolean => {
  try {
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}

const ended = async (pid: unknown): Promise<void> => {
  while (isRunning(pid)) await pause(20)
}

t.test('a waiting process runs the next task and ends when none comes', async (t) => {
  const run = runner({ idleMs: SHORT_MS })
  const first = await run('pid')
  t.equal(await run('pid'), first)
  const [one, other] = await Promise.all([run('pid'), run('pid')])
  t.not(one, other, 'tasks in parallel use separate processes')
  await Promise.all([ended(one), ended(other)])
})

t.test('a process that a task has exhausted or that hangs is not used again', async (t) => {
  const run = runner({})
  const first = await run('pid')
  await t.rejects(run('exhaust'), { message: 'task failed' })
  t.notOk(isRunning(first))
  const second = await run('pid')
  t.not(second, first)
  const impatient = runner({ timeoutMs: SHORT_MS })
  const hanging = await impatient('pid')
  await t.rejects(impatient('hang'), { message: 'task failed' })
  await ended(hanging)
})

t.test('a process killed while it waits is replaced', async (t) => {
  const run = runner({})
  const first = await run('pid')
  process.kill(Number(first), 'SIGKILL')
  await ended(first)
  t.not(await run('pid'), first)
})

t.test('without idle time each task has its own process', async (t) => {
  const run = runner({ idleMs: 0 })
  const first = await run('pid')
  t.not(await run('pid'), first)
  await ended(first)
})

t.test('a program that does not start is reported', async (t) => {
  const run = runner({ program: '/nonexistent.js' })
  await t.rejects(run('pid'), { message: 'start failed' })
})
