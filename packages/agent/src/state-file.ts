/**
 * State of an agent in a file that only its owner can read: token, key and identity. Token and key
 * are stored before the enrolment, so that an agent that is killed during it enrols once.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { randomToken } from '@status-page/secrets/hash'
import { type BoxKeys, generateBoxKeys } from '@status-page/secrets/key-box'

export interface AgentIdentity {
  id: string
  organizationId: string
  location: string
}

export interface AgentState {
  /** Address of the service; the token is sent to no other. */
  url: string
  token: string
  keys: BoxKeys
  /** Null until the agent is enrolled. */
  identity: AgentIdentity | null
}

const OWNER_ONLY = 0o600
const OWNER_ONLY_FOLDER = 0o700

/** Reads the state, or stores a new one when the file does not exist. */
export const openState = async (file: string, url: string): Promise<AgentState> => {
  const stored = await readState(file)
  if (stored !== null) {
    if (stored.url === url) return stored
    throw new Error(`${file} is the state of an agent of ${stored.url}: choose another --state`)
  }
  const state = { url, token: randomToken(), keys: generateBoxKeys(), identity: null }
  await saveState(file, state)
  return state
}

export const saveState = (file: string, state: AgentState): Promise<void> =>
  replaceFile(file, state)

/** Replaces the file as a whole, so that no partial one remains when the agent is killed. */
export const replaceFile = async (file: string, content: unknown): Promise<void> => {
  await mkdir(dirname(file), { recursive: true, mode: OWNER_ONLY_FOLDER })
  const next = `${file}.${process.pid}`
  await writeFile(next, `${JSON.stringify(content)}\n`, { mode: OWNER_ONLY })
  await rename(next, file)
}

const readState = async (file: string): Promise<AgentState | null> => {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  const state = parseState(text)
  if (state === null) throw new Error(`${file} is not the state of an agent`)
  return state
}

const parseState = (text: string): AgentState | null => {
  try {
    const { url, token, keys, identity } = JSON.parse(text)
    const isComplete = [url, token, keys?.publicKey, keys?.privateKey].every(
      (value) => typeof value === 'string',
    )
    return isComplete ? { url, token, keys, identity: identity ?? null } : null
  } catch {
    return null
  }
}
