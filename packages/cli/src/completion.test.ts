/** Completions offer the commands, words and options of the table, as a shell evaluates them. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { commands } from './commands.ts'
import { completions } from './completion.ts'
import { options } from './options.ts'

const run = promisify(execFile)
const script = completions.bash?.(commands) ?? ''

/** Returns what bash offers for the last word. */
const completed = async (...words: string[]): Promise<string[]> => {
  const { stdout } = await run('bash', [
    ...[
      '-c',
      `${script}\nCOMP_WORDS=("$@") COMP_CWORD=$(($#-1))\n_statusctl\necho "\${COMPREPLY[@]}"`,
    ],
    ...['bash', 'statusctl', ...words],
  ])
  return stdout.trim().split(' ')
}

t.test('bash completes commands, their options and their words', async (t) => {
  t.same(await completed(''), Object.keys(commands))
  t.same(await completed('d'), ['diff', 'drift'])
  t.same(await completed('--v'), ['--version'])
  t.same(await completed('apply', '--'), ['--dry-run', '--prune', '--json', '--url'])
  t.same(await completed('completion', ''), ['bash', 'zsh', 'fish'])
  t.same(await completed('import', 'st'), ['statuspage'])
  t.same(await completed('drift', ''), ['--json', '--url'])
})

t.test('bash completes file names where a command or an option has one', async (t) => {
  const { stdout } = await run('bash', ['-c', `${script}\ncomplete -p statusctl`])
  t.match(stdout, '-o default', 'file names are the default')
  t.same(await completed('apply', ''), [''])
  t.same(await completed('import', 'statuspage', ''), [''])
  t.same(await completed('export', '-o', ''), [''])
  t.same(await completed('login', '--url', ''), [''])
})

t.test('every shell completes every command and every option', async (t) => {
  for (const [shell, complete] of Object.entries(completions)) {
    const text = complete?.(commands) ?? ''
    for (const name of Object.keys(commands)) t.match(text, name, `${shell}: ${name}`)
    for (const name of Object.keys(options)) {
      t.match(text, shell === 'fish' ? `-l ${name}` : `--${name}`, `${shell}: ${name}`)
    }
  }
})
