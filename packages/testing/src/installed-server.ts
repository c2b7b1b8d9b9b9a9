/**
 * Server of the Postgres that is installed on this machine, for tests of its client programs: the
 * embedded one has none, and those of an older version refuse it.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, untilConnected } from './server.ts'
import type { Teardown } from './teardown.ts'

const DEBIAN_FOLDER = '/usr/lib/postgresql'
const PASSWORD = 'test-password'

/** Folder with server and client programs of one version; null if a program is missing. */
export const installedPostgres = async (): Promise<string | null> => {
  const versions = existsSync(DEBIAN_FOLDER) ? await readdir(DEBIAN_FOLDER) : []
  const searched = process.env.PATH?.split(':') ?? []
  const folders = [...versions.map((version) => join(DEBIAN_FOLDER, version, 'bin')), ...searched]
  const hasPrograms = (folder: string) =>
    ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'psql'].every((program) =>
      existsSync(join(folder, program)),
    )
  return folders.find(hasPrograms) ?? null
}

/** Starts an empty server from a folder of programs; resolves with the URL of its administrator. */
export const installedServer = async (t: Teardown, programs: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'status-page-postgres-'))
  const data = join(folder, 'data')
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, PASSWORD)
  // Postgres refuses to run as root.
  const account = process.getuid?.() === 0 ? postgresAccount() : null
  if (account !== null) {
    await chmod(folder, 0o755)
    for (const path of [folder, passwordFile]) await chown(path, account.uid, account.gid)
  }
  const options = { cwd: '/', stdio: 'ignore', ...account } as const
  const parameters = ['-D', data, '-U', 'postgres', '--pwfile', passwordFile]
  const init = spawnSync(
    join(programs, 'initdb'),
    [...parameters, '-A', 'scram-sha-256', '-E', 'UTF8', '--no-locale', '--no-sync'],
    options,
  )
  if (init.status !== 0) throw new Error('initdb failed')
  const port = await freePort()
  const settings = ['fsync=off', 'listen_addresses=127.0.0.1', 'unix_socket_directories=']
  const server = spawn(
    join(programs, 'postgres'),
    ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    options,
  )
  t.teardown(async () => {
    if (server.exitCode === null) {
      server.kill('SIGQUIT')
      await once(server, 'exit')
    }
    await rm(folder, { recursive: true, force: true })
  })
  const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`
  await untilConnected(url)
  return url
}

const postgresAccount = (): { uid: number; gid: number } => {
  const idOf = (flag: string) =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout)
  return { uid: idOf('-u'), gid: idOf('-g') }
}
