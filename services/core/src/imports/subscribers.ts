/** Converts a Statuspage subscriber export to rows of the own import format. */
import { invalid, MAX_CSV_ROWS } from '@status-page/contracts'
import { mapCooperatively, runCooperatively } from '@status-page/service'
import { CsvError } from 'csv-parse'
import { type CsvRow, LIST_SEPARATOR } from '../subscribers/csv/csv.ts'
import {
  CsvLimitError,
  type CsvLimitKind,
  parseCsvRecords,
} from '../subscribers/csv/csv-records.ts'

const field = 'subscribers_csv'
/** The header and rows; a row may list all components of a page. */
const LIMITS = { maxRows: MAX_CSV_ROWS + 1, maxRowCharacters: 256 * 1024, maxValues: 256 }
/** Column names that Statuspage exports have used over the years. */
const columns = {
  email: ['email', 'email_address'],
  phone: ['phone_number', 'phone'],
  componentIds: ['components', 'component_ids'],
} as const

/**
 * Drops unknown components; a row without any known one is an error, because it would otherwise
 * subscribe to everything. `planned` are ids at the source that a real run would import.
 */
export const readSubscriberRows = async (
  text: string,
  idsBySource: ReadonlyMap<string, string>,
  planned: ReadonlySet<string>,
): Promise<CsvRow[]> => {
  const [header, ...records] = await readRecords(text)
  if (header === undefined) return []
  const positions = new Map(header.cells.map((name, index) => [normalizeName(name), index]))
  const cellOf = ({ cells }: Record, names: readonly string[]) => {
    const position = names.map((name) => positions.get(name)).find((index) => index !== undefined)
    return position === undefined ? undefined : cells[position]?.trim()
  }
  if (![...columns.email, ...columns.phone].some((name) => positions.has(name))) {
    throw invalid({ field, message: `${field} requires a column email or phone_number` })
  }
  const rows = mapCooperatively(records, (record): CsvRow => {
    const email = cellOf(record, columns.email) ?? ''
    const phone = cellOf(record, columns.phone) ?? ''
    const named = (cellOf(record, columns.componentIds) ?? '').split(/[;,\s]+/).filter(Boolean)
    const ids = named.flatMap((sourceId) => idsBySource.get(sourceId) ?? [])
    const hasOnlyUnknownIds =
      named.length > 0 && ids.length === 0 && !named.some((id) => planned.has(id))
    return {
      line: record.line,
      cells: {
        type: email === '' && phone !== '' ? 'sms' : 'email',
        ...(email === '' ? { phone } : { email }),
        ...(ids.length === 0 ? {} : { componentIds: ids.join(LIST_SEPARATOR) }),
      },
      problem: hasOnlyUnknownIds ? 'is not an imported component' : null,
    }
  })
  return runCooperatively(rows)
}

interface Record {
  cells: string[]
  line: number
}

const readRecords = async (text: string): Promise<Record[]> => {
  const records: Record[] = []
  try {
    for await (const { record, info } of parseCsvRecords(withLineFeeds(text), LIMITS)) {
      records.push({ cells: record, line: info.lines })
    }
  } catch (error) {
    if (error instanceof CsvLimitError) throw refused(limitMessages[error.bound](error.line))
    if (!(error instanceof CsvError)) throw error
    throw refused(`${field} is not valid CSV: ${error.message}`)
  }
  return records
}

async function* withLineFeeds(text: string): AsyncGenerator<string> {
  yield text.replace(/^\ufeff/, '').replaceAll(/\r\n?/g, '\n')
}

const limitMessages: { [Bound in CsvLimitKind]: (line: number) => string } = {
  rows: () => `${field} has more than ${MAX_CSV_ROWS} rows`,
  'row-size': (line) => `${field} has a row that is too long at line ${line}`,
  values: (line) => `${field} has more than ${LIMITS.maxValues} values at line ${line}`,
}

const refused = (message: string) => invalid({ field, message })

const normalizeName = (name: string) => name.trim().toLowerCase().replaceAll(' ', '_')
