/** Files to write and to remove, so that a target matches the page. Pure. */
import { createHash } from 'node:crypto'
import type { Cooperative } from '@status-page/contracts'
import type { ExportedFile } from './exported-file.ts'

export interface ExportDifference {
  written: ExportedFile[]
  removed: string[]
  /** Digest by path, for the target after the changes. */
  files: Record<string, string>
}

export function* compareWithExported(
  before: Readonly<Record<string, string>>,
  files: readonly ExportedFile[],
): Cooperative<ExportDifference> {
  const after: Record<string, string> = {}
  for (const file of files) {
    after[file.path] = digestOf(file)
    yield
  }
  return {
    written: files.filter(({ path }) => before[path] !== after[path]),
    removed: Object.keys(before).filter((path) => after[path] === undefined),
    files: after,
  }
}

const digestOf = ({ contentType, body }: ExportedFile): string =>
  Buffer.isBuffer(body)
    ? createHash('sha256').update(contentType).update('\n').update(body).digest('base64url')
    : body.digest
