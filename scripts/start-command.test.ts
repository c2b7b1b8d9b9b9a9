/** The commands of package.json, with a program that prints the signal that it receives. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import t from 'tap'

const { scripts } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { scripts: Record<'start' | 'test', string> }

const program = `
setInterval(() => {}, 1_000)
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => { console.log(signal); process.exit() })
}
console.log('ready')`

/** Kills npm and the program, which a signal to npm alone may not reach. */
const killGroup = (pid: number | undefined) => {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL')
}

for (const name of ['start', 'test'] as const) {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    t.test(`npm ${name}: ${signal} to npm alone ends the program`, async (t) => {
      const folder = t.testdir({
        'package.json': JSON.stringify({ scripts }),
        scripts: { 'start.mjs': program, 'test.mjs': program },
      })
      const child = spawn('npm', ['run', '--silent', name], { cwd: folder, detached: true })
      t.teardown(() => {
        if (child.exitCode === null && child.signalCode === null) killGroup(child.pid)
      })
      const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
      t.equal((await lines.next()).value, 'ready')
      child.kill(signal)
      t.equal((await lines.next()).value, signal)
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    })
  }
}
