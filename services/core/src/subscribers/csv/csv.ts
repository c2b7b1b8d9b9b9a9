/** CSV of subscribers: columns, protection against formulas, and reading of uploads. */
import { AppError, invalid, MAX_CSV_ROWS } from '@status-page/contracts'
import { CsvError, type Info } from 'csv-parse'
import { stringify } from 'csv-stringify/sync'
import { CsvLimitError, type CsvLimitKind, parseCsvRecords } from './csv-records.ts'

const MAX_ROW_CHARACTERS = 10 * 1024
/**
 * Maximum number of values in a row, more than any header has; a row with slightly too many values
 * is reported as a row error.
 */
const MAX_VALUES = 64

const importable = ['type', 'email', 'phone', 'componentIds'] as const

/** Columns of an export; a file with exactly these columns can be imported again. */
export const exportColumns = [
  ...importable,
  'events',
  'statusPageId',
  'incidentId',
  'status',
  'statusReason',
  'source',
  'webhookUrl',
  'id',
  'confirmedAt',
  'unsubscribedAt',
  'lastNotifiedAt',
  'createdAt',
  'updatedAt',
] as const
export type CsvColumn = (typeof exportColumns)[number]

/** Separator of ids and events within a cell. */
export const LIST_SEPARATOR = ';'

/** Adds a leading quote to cells that a spreadsheet would run as a formula. */
export const toSpreadsheetCsv = (rows: readonly (readonly unknown[])[]): string =>
  stringify(rows as unknown[][], {
    escape_formulas: true,
    record_delimiter: 'windows',
    quoted_match: /\r/,
  })

export interface CsvRow {
  /** Line of the file on which the row begins; the header is line 1. */
  line: number
  /** Undefined when the file has no such column. */
  cells: Partial<Record<CsvColumn, string>>
  /** Problem with the number of cells; null when it is right. */
  problem: string | null
}

/** Reads all rows; an unreadable file is refused whole with 400. */
export const readCsvRows = async (content: AsyncIterable<Buffer>): Promise<CsvRow[]> => {
  const limits = {
    maxRows: MAX_CSV_ROWS + 1,
    maxRowCharacters: MAX_ROW_CHARACTERS,
    maxValues: MAX_VALUES,
  }
  let header: CsvColumn[] | null = null
  const rows: CsvRow[] = []
  try {
    for await (const { record, info } of parseCsvRecords(decoded(content), limits)) {
      if (header === null) header = headerOf(record)
      else rows.push(rowOf(header, record, info))
    }
  } catch (error) {
    throw refusalOf(error)
  }
  if (header === null) throw refused('The file is empty')
  return rows
}

/**
 * Decodes to strings, so that invalid UTF-8 is rejected instead of replaced. Line ends become line
 * feeds, because the parser counts CRLF within quotes as two lines.
 */
async function* decoded(content: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let carried = ''
  for await (const bytes of content) {
    const text = carried + decoder.decode(bytes, { stream: true })
    // The line feed of a CRLF may arrive with the next chunk.
    carried = text.endsWith('\r') ? '\r' : ''
    yield* withLineFeeds(text.slice(0, text.length - carried.length))
  }
  yield* withLineFeeds(carried + decoder.decode())
}

const withLineFeeds = (text: string): string[] =>
  text === '' ? [] : [text.replaceAll(/\r\n?/g, '\n')]

const headerOf = (names: readonly string[]): CsvColumn[] => {
  const isExport = names.join() === exportColumns.join()
  const known: readonly string[] = isExport ? exportColumns : importable
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw refused(`The header can only contain ${importable.join(', ')}, each once`)
  }
  if (new Set(names).size < names.length) throw refused('The header has a duplicate column')
  if (!names.includes('type')) throw refused('The header must contain type')
  return names as CsvColumn[]
}

const rowOf = (
  header: readonly CsvColumn[],
  record: readonly string[],
  { lines }: Info,
): CsvRow => {
  const breaks = record.reduce((count, cell) => count + (cell.split('\n').length - 1), 0)
  const isWhole = record.length === header.length
  return {
    line: lines - breaks,
    cells: Object.fromEntries(
      header.map((name, index) => [name, withoutQuote(record[index] ?? '')]),
    ),
    problem: isWhole ? null : `has ${record.length} values, the header has ${header.length}`,
  }
}

/** Removes the quote that an export adds to cells that begin like a formula. */
const withoutQuote = (cell: string): string =>
  cell.replace(/^'(?=[=+\-@\t\r\uff0b\uff0d\uff1d\uff20])/, '')

const refusalOf = (error: unknown): AppError => {
  if (error instanceof AppError) return error
  if (error instanceof CsvLimitError) return refused(beyond[error.bound](error.line))
  if (error instanceof CsvError) {
    const line = Number((error as { lines?: unknown }).lines)
    return refused(`The quotes at line ${line} are not balanced`)
  }
  if (error instanceof TypeError) return refused('The file is not UTF-8')
  throw error
}

const beyond: Record<CsvLimitKind, (line: number) => string> = {
  rows: () => `The file has more than ${MAX_CSV_ROWS} rows`,
  'row-size': (line) => `The row at line ${line} has more than ${MAX_ROW_CHARACTERS / 1024} KiB`,
  values: (line) => `The row at line ${line} has more than ${MAX_VALUES} values`,
}

const refused = (message: string) => invalid({ field: 'file', message })
