/** Reads of single objects of a repository, by commands whose cost does not depend on the rest of it. */
import { GitFailure } from './failure.ts'

export type GitRunner = (
  args: readonly string[],
  options?: { input?: Buffer; environment?: Record<string, string>; maxOutputBytes?: number },
) => Promise<Buffer>

export const PLAIN_FILES = ['100644', '100755']

/** The object id in what git wrote, or a GitFailure. */
export const parseObjectId = (text: string): string => {
  if (!/^[0-9a-f]{40}$/.test(text)) throw new GitFailure('git_failed')
  return text
}

/** One line of `ls-tree -z`: mode, type, object, and the path behind a tab. */
export const treeEntryAt = async (run: GitRunner, commit: string, path: string) => {
  const listing = (await run(['ls-tree', '-z', '--full-tree', commit, '--', path])).toString()
  const found = /^(\d{6}) (\w+) ([0-9a-f]{40})\t([^\0]*)\0/.exec(listing)
  if (found === null || found[4] !== path) return null
  return { mode: found[1] ?? '', blob: found[3] ?? '' }
}
