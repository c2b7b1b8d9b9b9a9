/** What has to be written and removed, so that a target says what the page says. Pure. */
import { createHash } from 'node:crypto'
import type { ExportedFile } from './files.ts'

export interface Difference {
  written: ExportedFile[]
  removed: string[]
  /** Path to digest, once it is done. */
  files: Record<string, string>
}

export const differenceOf = (
  before: Readonly<Record<string, string>>,
  files: readonly ExportedFile[],
): Difference => {
  const after = Object.fromEntries(files.map((file) => [file.path, digestOf(file)]))
  return {
    written: files.filter(({ path }) => before[path] !== after[path]),
    removed: Object.keys(before).filter((path) => after[path] === undefined),
    files: after,
  }
}

const digestOf = ({ contentType, body }: ExportedFile): string =>
  createHash('sha256').update(contentType).update('\n').update(body).digest('base64url')
