/**
 * Repositories whose few objects describe far more than they contain: the cost of access stays
 * small.
 */
import { join } from 'node:path'
import { outboundPolicy } from '@status-page/outbound'
import { GIT_HOST as HOST, httpsGit, makeRepository, temporaryFolder } from '@status-page/testing'
import t from 'tap'
import { GitFailure } from './failure.ts'
import { PROGRAM_SEARCH_PATH, runGit } from './process.ts'
import type { Remote } from './remote.ts'
import { type GitContext, withRepository } from './repository.ts'

const PATH = 'ops/é/statuspage.yaml'
const LEVELS = 10
const COPIES = 10

const folder = await temporaryFolder(t)
const server = await httpsGit(t, folder)
const repository = await makeRepository(folder)
const policy = outboundPolicy({
  allowCidrs: ['127.0.0.0/8'],
  ownHosts: [],
  resolver: { resolve: async () => ['127.0.0.1'] },
})
const context: GitContext = {
  policy,
  authorities: [server.authority],
  isUsable: async () => true,
  limits: { timeoutMs: 120_000 },
}
const remote: Remote = {
  scheme: 'https',
  url: `https://${HOST}:${server.port}/acme/status.git`,
  host: HOST,
  port: server.port,
  name: 'acme/status',
}

const gitIn = (args: string[], input = '') =>
  runGit({
    args,
    environment: {
      PATH: PROGRAM_SEARCH_PATH,
      HOME: folder,
      GIT_DIR: repository.bare,
      GIT_INDEX_FILE: join(folder, 'index'),
      GIT_AUTHOR_NAME: 'Ana',
      GIT_AUTHOR_EMAIL: 'ana@example.com',
      GIT_COMMITTER_NAME: 'Ana',
      GIT_COMMITTER_EMAIL: 'ana@example.com',
    },
    folder: repository.bare,
    maxFolderBytes: null,
    maxMemoryBytes: 48 * 1024 * 1024,
    maxOutputBytes: 1024 * 1024,
    timeoutMs: 120_000,
    input: Buffer.from(input),
  })

/** Creates a tree of ten billion files from eleven objects. */
const makeBomb = async (): Promise<string> => {
  const id = async (args: string[], input: string) => (await gitIn(args, input)).toString().trim()
  const blob = await id(['hash-object', '-w', '--stdin'], 'boom\n')
  let entry = `100644 blob ${blob}`
  for (let level = 0; level < LEVELS; level += 1) {
    const lines = Array.from({ length: COPIES }, (_, copy) => `${entry}\td${copy}\n`)
    entry = `040000 tree ${await id(['mktree'], lines.join(''))}`
  }
  return entry
}

t.test(
  'a file is added to a tree of ten billion files, which stays unchanged otherwise',
  async (t) => {
    await repository.write(PATH, 'apiVersion: v1\n')
    await repository.write('ops/other.txt', 'other\n')
    const bomb = await makeBomb()
    const root = (await gitIn(['ls-tree', 'main'])).toString()
    const tree = (await gitIn(['mktree'], `${root}${bomb}\tbomb\n`)).toString().trim()
    const commit = (await gitIn(['commit-tree', tree, '-m', 'Bomb'])).toString().trim()
    await gitIn(['update-ref', 'refs/heads/main', commit])

    const result = await withRepository(
      context,
      { remote, access: { kind: 'none' } },
      async (one) => {
        const parent = await one.fetch('main')
        const change = {
          parent,
          path: PATH,
          text: Buffer.from('apiVersion: v1\nkind: StatusPageConfig\n'),
          message: 'Offer\n',
          author: { name: 'Status page', email: 'status@example.com' },
        }
        const offered = await one.commitFile(change)
        await one.push(offered, 'status-page/changes')
        const added = await one.commitFile({ ...change, path: 'new/folder/file.yaml' })
        await one.push(added, 'status-page/added')
        const file = await one.readFile(offered, PATH)
        const inside = one.commitFile({ ...change, path: 'ops/other.txt/file.yaml' })
        await t.rejects(inside, new GitFailure('not_a_file'), 'a file is no folder')
        return { parent, file }
      },
    )

    t.equal(result.parent, commit)
    t.equal(result.file?.text.toString(), 'apiVersion: v1\nkind: StatusPageConfig\n')
    const difference = async (branch: string) =>
      (await gitIn(['diff', '--name-only', '-z', 'main', branch])).toString()
    t.equal(await difference('status-page/changes'), `${PATH}\0`)
    t.equal(await difference('status-page/added'), 'new/folder/file.yaml\0')
  },
)

t.test('a command that walks such a tree ends at its memory limit', async (t) => {
  const tree = (await makeBomb()).slice(-40)
  await t.rejects(gitIn(['read-tree', tree]), new GitFailure('too_large'))
})
