/** Where the service is and who asks: from the environment, else from a file that only its owner reads. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

export type Environment = Readonly<Record<string, string | undefined>>

export interface Credentials {
  url: string
  key: string
}

const OWNER_ONLY = 0o600
const OWNER_ONLY_FOLDER = 0o700

export const credentialsFile = (environment: Environment): string =>
  join(
    environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), '.config'),
    'statusctl',
    'credentials.json',
  )

/** A kept key is for the address it was kept for: another address needs a key of its own. */
export const credentialsOf = async (
  environment: Environment,
  file: string,
  urlGiven: string | undefined,
): Promise<Credentials> => {
  const kept = await read(file)
  const url = urlGiven ?? (environment.STATUSCTL_URL || kept?.url)
  if (url === undefined) throw new Error('no address: log in, or set STATUSCTL_URL')
  const origin = originOf(url)
  const key = environment.STATUSCTL_KEY || (kept?.url === origin ? kept.key : undefined)
  if (key === undefined) throw new Error(`no API key for ${origin}: log in, or set STATUSCTL_KEY`)
  return { url: origin, key }
}

/** Without a path and slash; http only for this machine, as the key goes along. */
export const originOf = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '') {
    throw new Error('the address must be an http or https URL')
  }
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  if (url.protocol === 'http:' && !isHere) {
    throw new Error('the address must begin with https://: a key in the clear is lost')
  }
  return url.origin
}

export const keep = async (file: string, credentials: Credentials): Promise<void> => {
  await mkdir(dirname(file), { recursive: true, mode: OWNER_ONLY_FOLDER })
  // Written anew: an old file keeps the mode that it was made with.
  await rm(file, { force: true })
  await writeFile(file, `${JSON.stringify(credentials)}\n`, { mode: OWNER_ONLY, flag: 'wx' })
}

export const forget = (file: string): Promise<void> => rm(file, { force: true })

const read = async (file: string): Promise<Credentials | null> => {
  const text = await readFile(file, 'utf8').catch(() => null)
  if (text === null) return null
  try {
    const { url, key } = JSON.parse(text)
    return typeof url === 'string' && typeof key === 'string' ? { url, key } : null
  } catch {
    throw new Error(`${file} is damaged: log in again`)
  }
}
