/** Real sshd in front of a repository, if the machine has one. */
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventually } from './eventually.ts'
import type { Teardown } from './teardown.ts'

const run = promisify(execFile)

const SSHD = '/usr/sbin/sshd'
export const hasSshd = existsSync(SSHD)

const keyPair = async (folder: string, name: string) => {
  const file = join(folder, name)
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', file])
  const [privateKey, publicKey] = [
    await readFile(file, 'utf8'),
    await readFile(`${file}.pub`, 'utf8'),
  ]
  return { file, privateKey, publicKey: publicKey.trim() }
}

/**
 * Starts sshd for one client key. Only the test's own user can log in, as accounts belong to the
 * machine.
 */
export const sshGit = async (t: Teardown, folder: string) => {
  const [host, client] = [await keyPair(folder, 'host_key'), await keyPair(folder, 'client_key')]
  const port = await freePort()
  const config = join(folder, 'sshd_config')
  const keys = join(folder, 'authorized_keys')
  await writeFile(keys, `${client.publicKey}\n`, { mode: 0o600 })
  const lines = {
    Port: port,
    ListenAddress: '127.0.0.1',
    HostKey: host.file,
    UsePAM: 'no',
    PidFile: join(folder, 'sshd.pid'),
    StrictModes: 'no',
    AuthorizedKeysFile: keys,
    PasswordAuthentication: 'no',
    KbdInteractiveAuthentication: 'no',
    PermitRootLogin: 'yes',
  }
  const written = Object.entries(lines).map(([name, value]) => `${name} ${value}\n`)
  await writeFile(config, written.join(''))
  if (userInfo().uid === 0) await mkdir('/run/sshd', { recursive: true })
  const server = spawn(SSHD, ['-D', '-e', '-f', config], { stdio: 'ignore' })
  t.teardown(() => server.kill())
  await eventually(() => responses(port))
  const { privateKey } = client
  return { port, hostKey: host.publicKey, privateKey, user: userInfo().username }
}

const freePort = async (): Promise<number> => {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise<void>((resolve) => probe.close(() => resolve()))
  return port
}

const responses = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
