/** Documents of Statuspage in files, as the body of one import. */
import type { Schemas } from '@status-page/client'

export type ImportDocuments = Schemas['StatuspageDocuments']

const lists = ['component_groups', 'components', 'incidents', 'scheduled_maintenances'] as const

/** File that contains no document of Statuspage. */
export class DocumentFileError extends Error {
  override readonly name = 'DocumentFileError'
}

interface DocumentFile {
  name: string
  text(): Promise<string>
}

/** Merges the files; the service validates their entries, and takes a repeated one once. */
export const documentsOf = async (files: readonly DocumentFile[]): Promise<ImportDocuments> => {
  const merged: Record<string, unknown> = {}
  for (const file of files) {
    const text = await file.text()
    if (/\.csv$/i.test(file.name)) merged.subscribers_csv = text
    else addDocument(merged, documentIn(text, file.name))
  }
  return merged as ImportDocuments
}

const addDocument = (merged: Record<string, unknown>, document: Record<string, unknown>): void => {
  merged.page ??= document.page
  for (const name of lists) {
    const items = document[name]
    if (!Array.isArray(items)) continue
    merged[name] = [...((merged[name] as unknown[] | undefined) ?? []), ...items]
  }
}

const documentIn = (text: string, name: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text)
    const isDocument =
      typeof value === 'object' &&
      value !== null &&
      ['page', ...lists].some((key) => Object.hasOwn(value, key))
    if (isDocument) return value as Record<string, unknown>
  } catch {
    // Invalid JSON gets the same error as JSON of another shape, below.
  }
  throw new DocumentFileError(name)
}
