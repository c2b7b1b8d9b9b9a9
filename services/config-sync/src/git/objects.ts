/** Reads single objects of a repository with commands whose cost does not depend on its size. */
import { GitFailure } from './failure.ts'

export type GitRunner = (
  args: readonly string[],
  options?: { input?: Buffer; environment?: Record<string, string>; maxOutputBytes?: number },
) => Promise<Buffer>

export const PLAIN_FILES = ['100644', '100755']

/** Returns the object id in the output of git; throws GitFailure if there is none. */
export const parseObjectId = (text: string): string => {
  if (!/^[0-9a-f]{40}$/.test(text)) throw new GitFailure('git_failed')
  return text
}

/** Parses a line of `ls-tree -z --long`: mode, type, object id, size, a tab and the path. */
export const treeEntryAt = async (run: GitRunner, commit: string, path: string) => {
  const flags = ['-z', '--long', '--full-tree']
  const listing = (await run(['ls-tree', ...flags, commit, '--', path])).toString()
  const found = /^(\d{6}) \w+ ([0-9a-f]{40}) +(\d+|-)\t([^\0]*)\0/.exec(listing)
  if (found === null || found[4] !== path) return null
  return { mode: found[1] ?? '', blob: found[2] ?? '', size: Number(found[3]) }
}
