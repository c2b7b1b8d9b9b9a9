/** Every command of statusctl. */
import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { Schemas } from '@status-page/client'
import { agent } from './agent.ts'
import { apiOf, clientOf } from './api.ts'
import type { Command, Invocation } from './command.ts'
import { completions } from './completion.ts'
import { EXIT_CODES, type ExitCode } from './context.ts'
import { deleteCredentials, originOf, saveCredentials } from './credentials.ts'
import { events } from './events.ts'
import { heartbeat } from './heartbeat.ts'
import {
  formatDrift,
  formatImportReport,
  formatPlan,
  formatWarning,
  inJson,
  joinLines,
  stripControlCharacters,
} from './print.ts'
import { readStatuspage, splitIntoRequests } from './statuspage.ts'

const login = async ({ context, values, file }: Invocation): Promise<ExitCode> => {
  const { environment, out } = context
  const address = values.url ?? environment.STATUSCTL_URL
  if (!address) throw new Error('usage: statusctl login --url <url>')
  const url = originOf(address)
  if (context.isInputTerminal) context.printError(`API key for ${url} (then Enter and Ctrl-D): `)
  const key = (environment.STATUSCTL_KEY || (await context.readInput())).trim()
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Error('no valid API key on standard input')
  await clientOf({ url, key }, context).GET('/api/v1/auth/me')
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
  const api = await apiOf(invocation)
  const document = await documentOf(invocation)
  const { data: found } = await api.POST('/api/v1/config/validate', document)
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
  const query = { dryRun: isDryRun, prune: values.prune === true }
  const document = await documentOf(invocation)
  const api = await apiOf(invocation)
  const { data: applied } = await api.POST('/api/v1/config/apply', {
    ...document,
    params: { query },
  })
  context.out(values.json ? inJson(applied) : formatPlan(applied, paint))
  const { created, updated, deleted } = applied
  const isChange = created.length + updated.length + deleted.length > 0
  return isDryRun && isChange ? EXIT_CODES.differences : EXIT_CODES.success
}

const exportDocument = async (invocation: Invocation): Promise<ExitCode> => {
  const { context, values } = invocation
  const api = await apiOf(invocation)
  const { data: document } = await api.GET('/api/v1/config/export', { parseAs: 'text' })
  if (values.output === undefined) context.out(document)
  else await writeFile(values.output, document)
  return EXIT_CODES.success
}

const drift = async (invocation: Invocation): Promise<ExitCode> => {
  const { context, values, paint } = invocation
  const api = await apiOf(invocation)
  const { data: found } = await api.GET('/api/v1/config/drift')
  context.out(values.json ? inJson(found) : formatDrift(found, paint))
  return found.drift.length > 0 ? EXIT_CODES.differences : EXIT_CODES.success
}

const importPage = async (invocation: Invocation): Promise<ExitCode> => {
  const { context, operands, values } = invocation
  const [kind, source = ''] = operands
  if (kind !== 'statuspage') throw new Error('only statuspage is supported as a source of imports')
  const requests: object[] = splitIntoRequests(
    await readStatuspage(source, context.environment.STATUSPAGE_KEY),
  )
  if (values.subscribers !== undefined) {
    requests.push({ subscribers_csv: await readFile(values.subscribers, 'utf8') })
  }
  const api = await apiOf(invocation)
  const query = {
    dryRun: values['dry-run'] === true,
    publish: values.publish === true,
    ...(values.slug === undefined ? {} : { slug: values.slug }),
  }
  // The service validates the entries.
  for (const body of requests as Schemas['StatuspageDocuments'][]) {
    const { data: report } = await api.POST('/api/v1/imports/statuspage', {
      params: { query },
      body,
    })
    context.out(values.json ? inJson(report) : formatImportReport(report))
  }
  return EXIT_CODES.success
}

/** Polling interval; stays below the rate limit of one operation, 20 per minute. */
const POLL_INTERVAL_MS = 4_000
const MAX_LOOKS = 45

const sync = async (invocation: Invocation): Promise<ExitCode> => {
  const { context, values } = invocation
  const api = await apiOf(invocation)
  const { id } = (await api.POST('/api/v1/config/git-sync/sync')).data
  for (let look = 0; look < MAX_LOOKS; look++) {
    const { data: history } = await api.GET('/api/v1/config/git-sync/history', {
      params: { query: { pageSize: 20 } },
    })
    const run = history.data.find((one) => one.id === id)
    if (run === undefined) throw new Error('the sync is missing from the history')
    if (run.finishedAt !== null) {
      context.out(values.json ? inJson(run) : joinLines([stripControlCharacters(outcomeOf(run))]))
      return run.status === 'failed' ? EXIT_CODES.error : EXIT_CODES.success
    }
    await pause(POLL_INTERVAL_MS)
  }
  throw new Error('the sync is still running; see its result in the history of Git sync')
}

const outcomeOf = ({ status, commit, changes, error }: Schemas['GitSyncRun']): string => {
  const at = commit === null ? '' : ` at ${commit.slice(0, 12)}`
  if (status === 'failed') return `Failed${at}: ${error}`
  if (status === 'no_changes') return `No changes${at}.`
  return `Synced${at}: ${changes.created} created, ${changes.updated} updated.`
}

const completion = async ({ context, operands }: Invocation): Promise<ExitCode> => {
  const script = completions[operands[0] ?? '']
  if (script === undefined) throw new Error('the shell must be bash, zsh or fish')
  context.out(script(commands))
  return EXIT_CODES.success
}

export const commands: Readonly<Record<string, Command>> = {
  login: {
    summary: 'store the address and an API key, read from standard input',
    operands: [],
    options: ['url'],
    run: login,
  },
  logout: {
    summary: 'delete the stored address and key',
    operands: [],
    options: [],
    run: logout,
  },
  validate: {
    summary: 'validate the document alone',
    operands: ['<file>'],
    options: ['json'],
    run: validate,
  },
  diff: {
    summary: 'show what an apply would change',
    operands: ['<file>'],
    options: ['prune', 'json'],
    run: (invocation) => apply(invocation, true),
  },
  apply: {
    summary: 'apply a document, all or nothing',
    operands: ['<file>'],
    options: ['dry-run', 'prune', 'json'],
    run: (invocation) => apply(invocation, invocation.values['dry-run'] === true),
  },
  export: {
    summary: 'print the current state as document',
    operands: [],
    options: ['output'],
    run: exportDocument,
  },
  drift: {
    summary: 'show differences to the last apply',
    operands: [],
    options: ['json'],
    run: drift,
  },
  import: {
    summary: 'import another page',
    operands: ['statuspage', '<url|file>'],
    options: ['dry-run', 'publish', 'slug', 'subscribers', 'json'],
    run: importPage,
  },
  sync: {
    summary: 'fetch from Git and wait for the end',
    operands: [],
    options: ['json'],
    run: sync,
  },
  events: {
    summary: 'list the events of the last days, or follow new ones',
    operands: [],
    options: ['follow', 'after', 'kinds', 'json'],
    run: events,
  },
  heartbeat: {
    summary: 'run a command and send the pings of its run, or replace the ping URL of a component',
    operands: ['run|rotate', '<command|component>…'],
    options: ['url', 'json'],
    run: heartbeat,
  },
  agent: {
    summary: 'make the checks of a private location',
    operands: [],
    options: ['url', 'token-file', 'state', 'allow', 'name'],
    run: agent,
  },
  completion: {
    summary: 'print the completions of a shell',
    operands: ['bash|zsh|fish'],
    options: [],
    run: completion,
  },
}

/** Request with the document as it is: the service reports the position of a problem in it. */
const documentOf = async ({ context, operands }: Invocation) => {
  const [name = '-'] = operands
  const read = () => (name === '-' ? context.readInput() : readFile(name, 'utf8'))
  const document = await read().catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${name} cannot be read: ${error.code ?? error.message}`)
  })
  return {
    body: document as never,
    bodySerializer: (body: unknown) => body,
    headers: { 'content-type': 'application/yaml' },
  }
}
