/** Git servers for tests: repositories, and `git http-backend` for them over TLS. */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { appendFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { selfSignedCertificate } from './certificate.ts'
import type { Teardown } from './teardown.ts'

const run = promisify(execFile)

/** Host name in the server's certificate, in addition to `localhost`. */
export const GIT_HOST = 'git.example.com'

export const temporaryFolder = async (t: Teardown): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'status-page-test-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Each commit would otherwise start a process that finds nothing to do. */
const withoutMaintenance = {
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'maintenance.auto',
  GIT_CONFIG_VALUE_0: 'false',
}

const identity = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'Ana'],
    [`GIT_${role}_EMAIL`, 'ana@example.com'],
  ]),
)

/** Creates a bare repository and a work tree that commits to it. */
export const makeRepository = async (folder: string, name = 'acme/status') => {
  const bare = join(folder, `${name}.git`)
  const tree = join(folder, 'trees', name)
  const git = async (cwd: string, ...args: string[]) => {
    const path = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder }
    const env = { ...identity, ...withoutMaintenance, ...path }
    return (await run('git', args, { cwd, env, maxBuffer: 1e8 })).stdout.trim()
  }
  await mkdir(bare, { recursive: true })
  await mkdir(tree, { recursive: true })
  await git(bare, 'init', '--quiet', '--bare', '--initial-branch=main', '.')
  await appendFile(join(bare, 'config'), '[http]\nreceivepack = true\n[receive]\nautogc = false\n')
  await git(tree, 'init', '--quiet', '--initial-branch=main', '.')
  await git(tree, 'remote', 'add', 'origin', bare)
  const push = async (message: string) => {
    await git(tree, 'add', '--all', '--force')
    await git(tree, 'commit', '--quiet', '--allow-empty', '-m', message)
    await git(tree, 'push', '--quiet', '--force', 'origin', 'HEAD')
    return git(tree, 'rev-parse', 'HEAD')
  }
  return {
    bare,
    tree,
    git: (...args: string[]) => git(tree, ...args),
    bareGit: (...args: string[]) => git(bare, ...args),
    push,
    /** Commits one file and pushes the branch; resolves with the commit. */
    async write(path: string, text: string | Buffer) {
      await mkdir(dirname(join(tree, path)), { recursive: true })
      await writeFile(join(tree, path), text)
      return push(`Write ${path}`)
    },
    async link(path: string, target: string) {
      await symlink(target, join(tree, path))
      return push(`Link ${path}`)
    },
  }
}

export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => void

/** Response as JSON, or a status without body; undefined is 404. */
export type ApiHandler = (request: IncomingMessage, body: string) => object | number | undefined

export interface HttpsGit {
  port: number
  /** Certificate authority of the server. */
  authority: string
  requests: { url: string; authorization: string | undefined }[]
  /** Responds instead of git, until it is set to null. */
  answerWith(handler: HttpHandler | null): void
  /** Responds to paths outside of the repositories, like the API of a provider. */
  answerApi(handler: ApiHandler | null): void
  /** Required authorization header; null requires none. */
  demand(authorization: string | null): void
}

/** Serves the folder's repositories over TLS, for reading and writing. */
export const httpsGit = async (
  t: Teardown,
  folder: string,
  tls = selfSignedCertificate([GIT_HOST, 'localhost']),
): Promise<HttpsGit> => {
  const requests: HttpsGit['requests'] = []
  let special: HttpHandler | null = null
  let demanded: string | null = null
  let api: ApiHandler | null = null
  const server = createServer(tls, (request, response) => {
    const { authorization } = request.headers
    requests.push({ url: request.url ?? '', authorization })
    if (special !== null) return special(request, response)
    if (demanded !== null && authorization !== demanded) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
      return
    }
    if (api !== null && API.test(request.url ?? '')) answerAsApi(api, request, response)
    else httpBackend(folder, request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return {
    port: (server.address() as AddressInfo).port,
    authority: tls.cert,
    requests,
    answerWith: (handler) => {
      special = handler
    },
    answerApi: (handler) => {
      api = handler
    },
    demand: (authorization) => {
      demanded = authorization
    },
  }
}

const API = /^\/(?:api\/v[34]|rest\/api)\//

const answerAsApi = async (
  handler: ApiHandler,
  ...[request, response]: Parameters<HttpHandler>
) => {
  const answer = handler(request, await text(request)) ?? 404
  const isStatus = typeof answer === 'number'
  response.writeHead(isStatus ? answer : 200, { 'content-type': 'application/json' })
  response.end(isStatus ? '{"message":"swordfish"}' : JSON.stringify(answer))
}

/** Path of git's CGI program; `git http-backend` would be a second process for each request. */
let httpBackendProgram: string | undefined

/** Runs git's CGI program: environment in, headers and body out. */
const httpBackend: (root: string, ...exchange: Parameters<HttpHandler>) => void = (
  root,
  request,
  response,
) => {
  const url = new URL(request.url ?? '/', 'https://x')
  httpBackendProgram ??= join(`${execFileSync('git', ['--exec-path'])}`.trim(), 'git-http-backend')
  const child = spawn(httpBackendProgram, [], {
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'git',
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
  })
  request.pipe(child.stdin)
  child.stdin.on('error', () => {})
  let head = Buffer.alloc(0)
  child.stdout.on('data', (chunk: Buffer) => {
    if (response.headersSent) {
      response.write(chunk)
      return
    }
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    const headers = head
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string])
    const status = headers.find(([name]) => name === 'Status')?.[1]
    const rest = headers.filter(([name]) => name !== 'Status')
    response.writeHead(Number(status?.slice(0, 3) ?? 200), Object.fromEntries(rest))
    response.write(head.subarray(end + 4))
  })
  child.on('close', () => response.end())
}
