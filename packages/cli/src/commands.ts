/** Every command of statusctl. */
import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type {
  Applied,
  Drift,
  GitSyncRun,
  StatuspageReport,
  Validated,
} from '@status-page/contracts'
import { ask, askJson, type CliRequest } from './client.ts'
import { type ApiCredentials, credentialsOf, forget, originOf, store } from './credentials.ts'
import { driftOf, type Paint, plain, planOf, reportOf, text, warning } from './print.ts'
import { readStatuspage, requestsOf } from './statuspage.ts'
import { type CliContext, EXIT, type ExitCode } from './surroundings.ts'

interface Values {
  url?: string | undefined
  output?: string | undefined
  subscribers?: string | undefined
  'dry-run'?: boolean | undefined
  prune?: boolean | undefined
  json?: boolean | undefined
}

export interface Invocation {
  around: CliContext
  operands: readonly string[]
  values: Values
  /** Path of the credentials file. */
  file: string
  paint: Paint
}

interface Command {
  usage: string
  operands: number
  run(invocation: Invocation): Promise<ExitCode>
}

const login = async ({ around, values, file }: Invocation): Promise<ExitCode> => {
  const { environment, out } = around
  const address = values.url ?? environment.STATUSCTL_URL
  if (!address) throw new Error('usage: statusctl login --url <url>')
  const url = originOf(address)
  if (around.isInputTerminal) around.complain(`API key for ${url} (then Enter and Ctrl-D): `)
  const key = (environment.STATUSCTL_KEY || (await around.readInput())).trim()
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error('no valid API key on standard input')
  await ask({ url, key }, { method: 'GET', path: '/auth/me' })
  await store(file, { url, key })
  out(`Logged in to ${url}; the key is stored in ${file}.\n`)
  return EXIT.fine
}

const logout = async ({ around, file }: Invocation): Promise<ExitCode> => {
  await forget(file)
  around.out('Logged out.\n')
  return EXIT.fine
}

const validate = async (invocation: Invocation): Promise<ExitCode> => {
  const { around, values } = invocation
  const question = { method: 'POST', path: '/config/validate', ...(await documentOf(invocation)) }
  const found = await askAs<Validated>(invocation, question as CliRequest)
  if (values.json) around.out(inJson(found))
  else {
    const name = invocation.operands[0] ?? ''
    const errors = found.errors.map(({ path, line, column, message }) =>
      plain(`${name}:${line}:${column} ${message.includes(path) ? '' : `${path}: `}${message}`),
    )
    const verdict = found.valid
      ? 'Valid.'
      : errors.length === 1
        ? '1 problem.'
        : `${errors.length} problems.`
    around.out(text([...errors, ...found.warnings.map(warning), verdict]))
  }
  return found.valid ? EXIT.fine : EXIT.error
}

const apply = async (invocation: Invocation, isDryRun: boolean): Promise<ExitCode> => {
  const { around, values, paint } = invocation
  const query = { dryRun: String(isDryRun), prune: String(values.prune === true) }
  const document = await documentOf(invocation)
  const applied = await askAs<Applied>(invocation, {
    method: 'POST',
    path: '/config/apply',
    query,
    ...document,
  })
  around.out(values.json ? inJson(applied) : planOf(applied, paint))
  const { created, updated, deleted } = applied
  const isChange = created.length + updated.length + deleted.length > 0
  return isDryRun && isChange ? EXIT.differences : EXIT.fine
}

const exportDocument = async (invocation: Invocation): Promise<ExitCode> => {
  const { around, values } = invocation
  const credentials = await who(invocation)
  const document = await ask(credentials, { method: 'GET', path: '/config/export' })
  if (values.output === undefined) around.out(document)
  else await writeFile(values.output, document)
  return EXIT.fine
}

const drift = async (invocation: Invocation): Promise<ExitCode> => {
  const { around, values, paint } = invocation
  const found = await askAs<Drift>(invocation, { method: 'GET', path: '/config/drift' })
  around.out(values.json ? inJson(found) : driftOf(found, paint))
  return found.drift.length > 0 ? EXIT.differences : EXIT.fine
}

const importPage = async (invocation: Invocation): Promise<ExitCode> => {
  const { around, operands, values } = invocation
  const [kind, source = ''] = operands
  if (kind !== 'statuspage') throw new Error('only statuspage is supported as a source of imports')
  const requests: object[] = requestsOf(await readStatuspage(source))
  if (values.subscribers !== undefined) {
    requests.push({ subscribers_csv: await readFile(values.subscribers, 'utf8') })
  }
  const query = { dryRun: String(values['dry-run'] === true) }
  for (const json of requests) {
    const asked: CliRequest = { method: 'POST', path: '/imports/statuspage', query, json }
    const report = await askAs<StatuspageReport>(invocation, asked)
    around.out(values.json ? inJson(report) : reportOf(report))
  }
  return EXIT.fine
}

/** Polling interval; stays below the rate limit of one operation, 20 per minute. */
const LOOK_MS = 4_000
const MAX_LOOKS = 45
const HISTORY = '/config/git-sync/history'

const sync = async (invocation: Invocation): Promise<ExitCode> => {
  const { around, values } = invocation
  const { id } = await askAs<GitSyncRun>(invocation, {
    method: 'POST',
    path: '/config/git-sync/sync',
  })
  for (let look = 0; look < MAX_LOOKS; look++) {
    const asked: CliRequest = { method: 'GET', path: HISTORY, query: { pageSize: '20' } }
    const { data } = await askAs<{ data: GitSyncRun[] }>(invocation, asked)
    const run = data.find((one) => one.id === id)
    if (run === undefined) throw new Error('the sync is missing from the history')
    if (run.finishedAt !== null) {
      around.out(values.json ? inJson(run) : text([plain(outcomeOf(run))]))
      return run.status === 'failed' ? EXIT.error : EXIT.fine
    }
    await pause(LOOK_MS)
  }
  throw new Error('the sync is still running; see its result in the history of Git sync')
}

const outcomeOf = ({ status, commit, changes, error }: GitSyncRun): string => {
  const at = commit === null ? '' : ` at ${commit.slice(0, 12)}`
  if (status === 'failed') return `Failed${at}: ${error}`
  if (status === 'no_changes') return `No changes${at}.`
  return `Synced${at}: ${changes.created} created, ${changes.updated} updated.`
}

export const commands: Readonly<Record<string, Command | undefined>> = {
  login: { usage: 'login --url <url>', operands: 0, run: login },
  logout: { usage: 'logout', operands: 0, run: logout },
  validate: { usage: 'validate <file>', operands: 1, run: validate },
  diff: {
    usage: 'diff <file> [--prune]',
    operands: 1,
    run: (invocation) => apply(invocation, true),
  },
  apply: {
    usage: 'apply <file> [--dry-run] [--prune]',
    operands: 1,
    run: (invocation) => apply(invocation, invocation.values['dry-run'] === true),
  },
  export: { usage: 'export [-o <file>]', operands: 0, run: exportDocument },
  drift: { usage: 'drift', operands: 0, run: drift },
  import: {
    usage: 'import statuspage <url|file> [--dry-run] [--subscribers <csv>]',
    operands: 2,
    run: importPage,
  },
  sync: { usage: 'sync', operands: 0, run: sync },
}

const documentOf = async ({ around, operands }: Invocation): Promise<{ document: string }> => {
  const [name = '-'] = operands
  const read = () => (name === '-' ? around.readInput() : readFile(name, 'utf8'))
  const document = await read().catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${name} cannot be read: ${error.code ?? error.message}`)
  })
  return { document }
}

const who = ({ around, file, values }: Invocation): Promise<ApiCredentials> =>
  credentialsOf(around.environment, file, values.url)

const askAs = async <Reply>(invocation: Invocation, question: CliRequest): Promise<Reply> =>
  askJson<Reply>(await who(invocation), question)

const inJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
