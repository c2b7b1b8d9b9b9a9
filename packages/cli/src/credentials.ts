/** Address and API key: from the environment, else from a file that only its owner can read. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

export type CliEnvironment = Readonly<Record<string, string | undefined>>

export interface ApiCredentials {
  url: string
  key: string
}

const OWNER_ONLY = 0o600
const OWNER_ONLY_FOLDER = 0o700

export const credentialsFile = (environment: CliEnvironment): string =>
  join(
    environment.XDG_CONFIG_HOME || join(environment.HOME || homedir(), '.config'),
    'statusctl',
    'credentials.json',
  )

/** Returns address and key. A stored key is used only for the address that it was stored with. */
export const credentialsOf = async (
  environment: CliEnvironment,
  file: string,
  urlGiven: string | undefined,
): Promise<ApiCredentials> => {
  const stored = await read(file)
  const url = urlGiven ?? (environment.STATUSCTL_URL || stored?.url)
  if (url === undefined) throw new Error('no address of the service: log in, or set STATUSCTL_URL')
  const origin = originOf(url)
  const key = environment.STATUSCTL_KEY || (stored?.url === origin ? stored.key : undefined)
  if (key === undefined) throw new Error(`no API key for ${origin}: log in, or set STATUSCTL_KEY`)
  return { url: origin, key }
}

/** Origin of an address; http is accepted for loopback only, as each request carries the key. */
export const originOf = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '') {
    throw new Error('the address must be an http or https URL')
  }
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  if (url.protocol === 'http:' && !isHere) {
    throw new Error('the address must begin with https://: http would send the key unencrypted')
  }
  return url.origin
}

export const saveCredentials = async (file: string, credentials: ApiCredentials): Promise<void> => {
  await mkdir(dirname(file), { recursive: true, mode: OWNER_ONLY_FOLDER })
  // Deletes an existing file first, because writing would retain its mode.
  await rm(file, { force: true })
  await writeFile(file, `${JSON.stringify(credentials)}\n`, { mode: OWNER_ONLY, flag: 'wx' })
}

export const deleteCredentials = (file: string): Promise<void> => rm(file, { force: true })

const read = async (file: string): Promise<ApiCredentials | null> => {
  const text = await readFile(file, 'utf8').catch(() => null)
  if (text === null) return null
  try {
    const { url, key } = JSON.parse(text)
    return typeof url === 'string' && typeof key === 'string' ? { url, key } : null
  } catch {
    throw new Error(`${file} is not valid: log in again`)
  }
}
