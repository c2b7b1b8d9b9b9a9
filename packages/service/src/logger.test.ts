/** Log output: one line per event, without credentials. */
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { createLogger } from './logger.ts'

const logged = (...entry: [object, string]): string => {
  let text = ''
  const destination = {
    write(line: string) {
      text += line
    },
  }
  createLogger({ service: 'core', destination }).info(...entry)
  return text
}

t.test('credentials are masked by name and by pattern', async (t) => {
  const text = logged(
    {
      authorization: 'canary-1',
      req: { headers: { cookie: 'canary-2', 'x-caller': 'canary-3' } },
      user: { password: 'canary-4', token: 'canary-5' },
      err: new Error('postgres://core:canary-6@host/db and https://a.b/?token=canary-7'),
    },
    'used sk_live_canary8canary8canary8canary8',
  )
  t.notMatch(text, /canary/)
  t.match(JSON.parse(text), { service: 'core', level: 30 })
  t.equal(text.split('\n').length, 2)
})

/** Logs while the only thread of the pool waits, then replaces the program. */
const lastLine = `
  import { readFile } from 'node:fs'
  import { endProcess } from '${import.meta.resolve('./end-process.ts')}'
  import { createLogger } from '${import.meta.resolve('./logger.ts')}'
  readFile(process.env.BLOCKING_FILE, () => {})
  createLogger({ service: 'core' }).info('stopped')
  endProcess()
`

t.test('the last line is written although no thread of the pool is free', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'log-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const pipe = join(folder, 'pipe')
  t.equal(spawnSync('mkfifo', [pipe]).status, 0)
  const parameters = ['--no-warnings', '--input-type=module', '--eval', lastLine]
  const { status, stdout } = spawnSync(process.execPath, parameters, {
    env: { ...process.env, BLOCKING_FILE: pipe, UV_THREADPOOL_SIZE: '1' },
    encoding: 'utf8',
  })
  t.equal(status, 0)
  t.match(stdout, '"msg":"stopped"')
})
