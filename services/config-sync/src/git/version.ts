/** Whether the machine's git can be trusted with what strangers serve: below 2.37 it cannot be told where to dial. */
import { tmpdir } from 'node:os'
import { runGit, SEARCH_PATH } from './process.ts'

const OLDEST: readonly [number, number] = [2, 37]
const LOOK_MS = 15_000
const MAX_BYTES = 1024

/** Null where there is none, or none that is new enough. */
export const gitVersion = async (): Promise<string | null> => {
  try {
    const said = await runGit({
      args: ['version'],
      environment: { PATH: SEARCH_PATH, LC_ALL: 'C' },
      folder: tmpdir(),
      maxFolderBytes: null,
      maxOutputBytes: MAX_BYTES,
      timeoutMs: LOOK_MS,
    })
    return newEnough(said.toString())
  } catch {
    return null
  }
}

export const newEnough = (said: string): string | null => {
  const [, text, major, minor] = /^git version ((\d+)\.(\d+)\S*)/.exec(said) ?? []
  if (text === undefined) return null
  const isNew =
    Number(major) > OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) >= OLDEST[1])
  return isNew ? text : null
}
