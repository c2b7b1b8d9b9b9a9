/** Minimum version of git: releases before 2.37 cannot be pinned to a resolved address. */
import { tmpdir } from 'node:os'
import { PROGRAM_SEARCH_PATH, runGit } from './process.ts'

const MINIMUM_VERSION: readonly [number, number] = [2, 37]
const TIMEOUT_MS = 15_000
const MAX_BYTES = 1024

/** Returns null if git is missing or too old. */
export const gitVersion = async (): Promise<string | null> => {
  try {
    const output = await runGit({
      args: ['version'],
      environment: { PATH: PROGRAM_SEARCH_PATH, LC_ALL: 'C' },
      folder: tmpdir(),
      maxFolderBytes: null,
      maxOutputBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
    })
    return supportedVersion(output.toString())
  } catch {
    return null
  }
}

export const supportedVersion = (output: string): string | null => {
  const [, text, major, minor] = /^git version ((\d+)\.(\d+)\S*)/.exec(output) ?? []
  if (text === undefined) return null
  const isNew =
    Number(major) > MINIMUM_VERSION[0] ||
    (Number(major) === MINIMUM_VERSION[0] && Number(minor) >= MINIMUM_VERSION[1])
  return isNew ? text : null
}
