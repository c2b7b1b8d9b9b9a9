/**
 * Postgres primary with a synchronous standby on loopback. A commit is acknowledged when the
 * standby has it; after a failover the new primary commits alone until a new standby streams.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import postgres from 'postgres'
import { type PostgresServer, startPostgres } from '../local/postgres.ts'
import type { Reaper } from '../local/reaper.ts'
import { type Link, openLink } from './link.ts'

const STREAMS_WITHIN_MS = 60_000
const POLL_MS = 200
/** Keeps the WAL between the copy of the files and the first connection of the standby. */
const WAL_KEEP_SIZE = '256MB'
const FOLDERS = ['postgres-1', 'postgres-2'] as const

export interface PostgresPair {
  /** URL with both hosts; a client uses the one that accepts writes. */
  url: string
  /** Kills the primary. */
  killPrimary(): Promise<void>
  /** Makes the standby the primary, and a copy of it its standby. */
  failOver(): Promise<void>
  /** Link of clients to the primary. */
  primaryLink(): Link
  abort(): Promise<void>
}

export interface PostgresPairOptions {
  /** Folder that the account of Postgres can enter. */
  dataFolder: string
  reaper: Reaper
  log(line: string): void
}

interface Member {
  server: PostgresServer
  folder: string
  /** Survives the server, whose port changes with each start. */
  link: Link
}

export async function startPostgresPair(options: PostgresPairOptions): Promise<PostgresPair> {
  const password = randomBytes(16).toString('hex')
  const links = [await openLink(), await openLink()] as const
  const start = async (index: 0 | 1): Promise<Member> => {
    const folder = join(options.dataFolder, FOLDERS[index])
    mkdirSync(join(folder, 'logs'), { recursive: true })
    const server = await startPostgres({
      ...options,
      dataFolder: folder,
      password,
      disposable: false,
      autoRestart: false,
    })
    const link = links[index]
    link.setTarget(Number(new URL(server.adminUrl).port))
    return { server, folder, link }
  }
  const addStandby = async (primary: Member, index: 0 | 1): Promise<Member> => {
    const folder = join(options.dataFolder, FOLDERS[index])
    await copyFiles(primary, folder, password)
    const standby = await start(index)
    await requireSynchronousCommits(primary)
    return standby
  }

  let primaryIndex: 0 | 1 = 0
  let primary = await start(0)
  await execute(primary, [`ALTER SYSTEM SET wal_keep_size = '${WAL_KEEP_SIZE}'`, RELOAD])
  let standby = await addStandby(primary, 1)
  const ports = links.map(({ port }) => `127.0.0.1:${port}`).join(',')
  return {
    url: `postgres://postgres:${password}@${ports}/status_page`,
    killPrimary: () => primary.server.process.kill('SIGKILL'),
    async failOver() {
      const old = primary
      await execute(standby, ['SELECT pg_promote()', RESET_SYNCHRONOUS, RELOAD])
      primaryIndex = primaryIndex === 0 ? 1 : 0
      primary = standby
      await old.server.process.abort()
      standby = await addStandby(primary, primaryIndex === 0 ? 1 : 0)
    },
    primaryLink: () => primary.link,
    async abort() {
      await Promise.all([primary, standby].map(({ server }) => server.process.abort()))
      await Promise.all(links.map((link) => link.close()))
    },
  }
}

const RELOAD = 'SELECT pg_reload_conf()'
const RESET_SYNCHRONOUS = 'ALTER SYSTEM RESET synchronous_standby_names'

async function execute({ server }: Member, statements: readonly string[]): Promise<void> {
  await withConnection(server.adminUrl, async (sql) => {
    for (const statement of statements) await sql.unsafe(statement)
  })
}

/** Copies the files of the primary during a backup; the standby streams what is written after it. */
async function copyFiles(primary: Member, folder: string, password: string): Promise<void> {
  const data = join(folder, 'postgres/data')
  const { port, hostname } = new URL(primary.server.adminUrl)
  await withConnection(primary.server.adminUrl, async (sql) => {
    const [row] = await sql<{ path: string }[]>`
      SELECT current_setting('data_directory') AS path, pg_backup_start('standby', true)`
    const source = row?.path ?? ''
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    // The parent folder, too: the server requires its owner and modes.
    execFileSync('cp', ['-a', join(source, '..'), join(folder, 'postgres')])
    rmSync(join(data, 'postmaster.pid'), { force: true })
    const [stopped] = await sql<
      { labelfile: string }[]
    >`SELECT labelfile FROM pg_backup_stop(false)`
    writeFileSync(join(data, 'backup_label'), stopped?.labelfile ?? '')
  })
  writeFileSync(join(data, 'standby.signal'), '')
  const connection = `host=${hostname} port=${port} user=postgres password=${password}`
  writeFileSync(
    join(data, 'postgresql.auto.conf'),
    `wal_keep_size = '${WAL_KEEP_SIZE}'\nprimary_conninfo = '${connection}'\n`,
  )
  execFileSync('chown', ['-R', `--reference=${data}`, data])
}

/** Waits until the standby streams: before that, a commit would wait for it. */
async function requireSynchronousCommits(primary: Member): Promise<void> {
  const deadline = performance.now() + STREAMS_WITHIN_MS
  await withConnection(primary.server.adminUrl, async (sql) => {
    while ((await sql`SELECT FROM pg_stat_replication WHERE state = 'streaming'`).length === 0) {
      if (performance.now() > deadline) throw new Error('The standby does not stream')
      await pause(POLL_MS)
    }
    await sql`ALTER SYSTEM SET synchronous_standby_names = '*'`
    await sql.unsafe(RELOAD)
  })
}

async function withConnection(url: string, work: (sql: postgres.Sql) => Promise<void>) {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
