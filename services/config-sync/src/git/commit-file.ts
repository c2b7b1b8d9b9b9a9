/**
 * Creates a commit that changes one file of its parent. Only the trees on the path of the file are
 * read and written: a tree can name one subtree many times, so that a few objects describe billions
 * of files, and a command that walks all of them (read-tree, diff, archive) would not end.
 */
import { GitFailure } from './failure.ts'
import { type GitRunner, PLAIN_FILES, parseObjectId, treeEntryAt } from './objects.ts'

export interface FileChange {
  parent: string
  path: string
  text: Buffer
  message: string
  author: { name: string; email: string }
}

const NEW_FILE = '100644'
/** Maximum size of the listings of all folders on the path, about 50,000 entries. */
const MAX_LISTINGS_BYTES = 4 * 1024 * 1024

/** Returns the id of the new commit. */
export const commitFile = async (run: GitRunner, change: FileChange): Promise<string> => {
  const { parent, path, text, message, author } = change
  const mode = (await treeEntryAt(run, parent, path))?.mode ?? NEW_FILE
  if (!PLAIN_FILES.includes(mode)) throw new GitFailure('not_a_file')
  const blob = readObjectId(await run(['hash-object', '-w', '--stdin'], { input: text }))
  const tree = await writeTreesWith(run, { parent, path, entry: `${mode} blob ${blob}` })
  const environment = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) => [
      [`GIT_${role}_NAME`, author.name],
      [`GIT_${role}_EMAIL`, author.email],
    ]),
  )
  const args = ['commit-tree', tree, '-p', parent]
  return readObjectId(await run(args, { input: Buffer.from(message), environment }))
}

interface Placement {
  parent: string
  path: string
  /** Mode, type and object id. */
  entry: string
}

/**
 * Writes the trees on the path and returns the id of the root tree; missing folders are created.
 */
const writeTreesWith = async (
  run: GitRunner,
  { parent, path, entry }: Placement,
): Promise<string> => {
  const names = path.split('/').map(bytesOf)
  const folders = await listFolders(run, parent, names.slice(0, -1))
  let placed = entry
  for (const [depth, folder] of [...folders.entries()].reverse()) {
    folder.set(names[depth] ?? '', placed)
    placed = `040000 tree ${await writeTree(run, folder)}`
  }
  return placed.slice(-ID_LENGTH)
}

const ID_LENGTH = 40

/** Entries of a tree: mode, type and object id by name. Names are latin1 texts of their bytes. */
type Folder = Map<string, string>

/** Returns the root folder first; a missing folder is empty. */
const listFolders = async (run: GitRunner, commit: string, names: string[]): Promise<Folder[]> => {
  let bytesLeft = MAX_LISTINGS_BYTES
  const listFolder = async (tree: string | null): Promise<Folder> => {
    if (tree === null) return new Map()
    const listing = await run(['ls-tree', '-z', tree], { maxOutputBytes: bytesLeft })
    bytesLeft -= listing.length
    return parseFolder(listing)
  }
  const folders = [await listFolder(`${commit}^{tree}`)]
  for (const name of names) {
    const entry = folders.at(-1)?.get(name)
    if (entry !== undefined && !entry.startsWith('040000 tree ')) throw new GitFailure('not_a_file')
    folders.push(await listFolder(entry?.slice(-ID_LENGTH) ?? null))
  }
  return folders
}

/** Records of `ls-tree -z`: mode, type, object id, a tab, and the name up to NUL. */
const parseFolder = (listing: Buffer): Folder => {
  const records = listing.toString('latin1').split('\0').slice(0, -1)
  return new Map(
    records.map((record) => {
      const tab = record.indexOf('\t')
      return [record.slice(tab + 1), record.slice(0, tab)]
    }),
  )
}

/**
 * mktree sorts the entries. `--missing` allows submodules and skips the check of the other objects.
 */
const writeTree = async (run: GitRunner, folder: Folder): Promise<string> => {
  const records = [...folder].map(([name, entry]) => `${entry}\t${name}\0`)
  return readObjectId(
    await run(['mktree', '-z', '--missing'], { input: Buffer.from(records.join(''), 'latin1') }),
  )
}

/** Names of entries are bytes and need not be UTF-8. */
const bytesOf = (name: string): string => Buffer.from(name).toString('latin1')

const readObjectId = (output: Buffer): string => parseObjectId(output.toString().trim())
