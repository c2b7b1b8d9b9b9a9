/** Every command of statusctl. */
import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type {
  ConfigApplyResult,
  ConfigDrift,
  ConfigValidation,
  GitSyncRun,
  StatuspageReport,
} from '@status-page/contracts'
import { type CliRequest, requestJson, requestText } from './client.ts'
import { type CliContext, EXIT_CODES, type ExitCode } from './context.ts'
import {
  type ApiCredentials,
  credentialsOf,
  deleteCredentials,
  originOf,
  saveCredentials,
} from './credentials.ts'
import {
  type ColourText,
  formatDrift,
  formatImportReport,
  formatPlan,
  formatWarning,
  joinLines,
  stripControlCharacters,
} from './print.ts'
import { readStatuspage, splitIntoRequests } from './statuspage.ts'

interface Values {
  url?: string | undefined
  output?: string | undefined
  subscribers?: string | undefined
  'dry-run'?: boolean | undefined
  prune?: boolean | undefined
  json?: boolean | undefined
}

export interface Invocation {
  context: CliContext
  operands: readonly string[]
  values: Values
  /** Path of the credentials file. */
  file: string
  paint: ColourText
}

interface Command {
  usage: string
  operands: number
  run(invocation: Invocation): Promise<ExitCode>
}

const login = async ({ context, values, file }: Invocation): Promise<ExitCode> => {
  const { environment, out } = context
  const address = values.url ?? environment.STATUSCTL_URL
  if (!address) throw new Error('usage: statusctl login --url <url>')
  const url = originOf(address)
  if (context.isInputTerminal) context.printError(`API key for ${url} (then Enter and Ctrl-D): `)
  const key = (environment.STATUSCTL_KEY || (await context.readInput())).trim()
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error('no valid API key on standard input')
  await requestText({ url, key }, { method: 'GET', path: '/auth/me' })
  await saveCredentials(file, { url, key })
  out(`Logged in to ${url}; the key is stored in ${file}.\n`)
  return EXIT_CODES.success
}

const logout = async ({ context, file }: Invocation): Promise<ExitCode> => {
  await deleteCredentials(file)
  context.out('Logged out.\n')
  return EXIT_CODES.success
}

const validate = async (invocation: Invocation): Promise<ExitCode> => {
  const { context, values } = invocation
  const request = { method: 'POST', path: '/config/validate', ...(await documentOf(invocation)) }
  const found = await requestAs<ConfigValidation>(invocation, request as CliRequest)
  if (values.json) context.out(inJson(found))
  else {
    const name = invocation.operands[0] ?? ''
    const errors = found.errors.map(({ path, line, column, message }) =>
      stripControlCharacters(
        `${name}:${line}:${column} ${message.includes(path) ? '' : `${path}: `}${message}`,
      ),
    )
    const verdict = found.valid
      ? 'Valid.'
      : errors.length === 1
        ? '1 problem.'
        : `${errors.length} problems.`
    context.out(joinLines([...errors, ...found.warnings.map(formatWarning), verdict]))
  }
  return found.valid ? EXIT_CODES.success : EXIT_CODES.error
}

const apply = async (invocation: Invocation, isDryRun: boolean): Promise<ExitCode> => {
  const { context, values, paint } = invocation
  const query = { dryRun: String(isDryRun), prune: String(values.prune === true) }
  const document = await documentOf(invocation)
  const applied = await requestAs<ConfigApplyResult>(invocation, {
    method: 'POST',
    path: '/config/apply',
    query,
    ...document,
  })
  context.out(values.json ? inJson(applied) : formatPlan(applied, paint))
  const { created, updated, deleted } = applied
  const isChange = created.length + updated.length + deleted.length > 0
  return isDryRun && isChange ? EXIT_CODES.differences : EXIT_CODES.success
}

const exportDocument = async (invocation: Invocation): Promise<ExitCode> => {
  const { context, values } = invocation
  const credentials = await who(invocation)
  const document = await requestText(credentials, { method: 'GET', path: '/config/export' })
  if (values.output === undefined) context.out(document)
  else await writeFile(values.output, document)
  return EXIT_CODES.success
}

const drift = async (invocation: Invocation): Promise<ExitCode> => {
  const { context, values, paint } = invocation
  const found = await requestAs<ConfigDrift>(invocation, { method: 'GET', path: '/config/drift' })
  context.out(values.json ? inJson(found) : formatDrift(found, paint))
  return found.drift.length > 0 ? EXIT_CODES.differences : EXIT_CODES.success
}

const importPage = async (invocation: Invocation): Promise<ExitCode> => {
  const { context, operands, values } = invocation
  const [kind, source = ''] = operands
  if (kind !== 'statuspage') throw new Error('only statuspage is supported as a source of imports')
  const requests: object[] = splitIntoRequests(await readStatuspage(source))
  if (values.subscribers !== undefined) {
    requests.push({ subscribers_csv: await readFile(values.subscribers, 'utf8') })
  }
  const query = { dryRun: String(values['dry-run'] === true) }
  for (const json of requests) {
    const request: CliRequest = { method: 'POST', path: '/imports/statuspage', query, json }
    const report = await requestAs<StatuspageReport>(invocation, request)
    context.out(values.json ? inJson(report) : formatImportReport(report))
  }
  return EXIT_CODES.success
}

/** Polling interval; stays below the rate limit of one operation, 20 per minute. */
const POLL_INTERVAL_MS = 4_000
const MAX_LOOKS = 45
const HISTORY = '/config/git-sync/history'

const sync = async (invocation: Invocation): Promise<ExitCode> => {
  const { context, values } = invocation
  const { id } = await requestAs<GitSyncRun>(invocation, {
    method: 'POST',
    path: '/config/git-sync/sync',
  })
  for (let look = 0; look < MAX_LOOKS; look++) {
    const request: CliRequest = { method: 'GET', path: HISTORY, query: { pageSize: '20' } }
    const { data } = await requestAs<{ data: GitSyncRun[] }>(invocation, request)
    const run = data.find((one) => one.id === id)
    if (run === undefined) throw new Error('the sync is missing from the history')
    if (run.finishedAt !== null) {
      context.out(values.json ? inJson(run) : joinLines([stripControlCharacters(outcomeOf(run))]))
      return run.status === 'failed' ? EXIT_CODES.error : EXIT_CODES.success
    }
    await pause(POLL_INTERVAL_MS)
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

const documentOf = async ({ context, operands }: Invocation): Promise<{ document: string }> => {
  const [name = '-'] = operands
  const read = () => (name === '-' ? context.readInput() : readFile(name, 'utf8'))
  const document = await read().catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${name} cannot be read: ${error.code ?? error.message}`)
  })
  return { document }
}

const who = ({ context, file, values }: Invocation): Promise<ApiCredentials> =>
  credentialsOf(context.environment, file, values.url)

const requestAs = async <Reply>(invocation: Invocation, request: CliRequest): Promise<Reply> =>
  requestJson<Reply>(await who(invocation), request)

const inJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
