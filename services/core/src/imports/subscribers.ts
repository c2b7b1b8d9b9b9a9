/** The list of subscribers that a Statuspage gives away, as rows of our own file. */
import { invalid, MAX_CSV_ROWS } from '@status-page/contracts'
import { CsvError, parse } from 'csv-parse/sync'
import { LIST_SEPARATOR, type Row } from '../subscribers/csv.ts'

const field = 'subscribers_csv'
/** In the words of its exports over the years. */
const columns = {
  email: ['email', 'email_address'],
  phone: ['phone_number', 'phone'],
  componentIds: ['components', 'component_ids'],
} as const

/**
 * Components that are not here are left out; a row that names only such would get news of all, and
 * fails. `planned`: ids at the source that a real run would bring.
 */
export const subscriberRows = (
  text: string,
  idsBySource: ReadonlyMap<string, string>,
  planned: ReadonlySet<string>,
): Row[] => {
  const [header, ...records] = recordsOf(text)
  if (header === undefined) return []
  const places = new Map(header.cells.map((name, index) => [normal(name), index]))
  const cellOf = ({ cells }: Record, names: readonly string[]) => {
    const place = names.map((name) => places.get(name)).find((index) => index !== undefined)
    return place === undefined ? undefined : cells[place]?.trim()
  }
  if (![...columns.email, ...columns.phone].some((name) => places.has(name))) {
    throw invalid({ field, message: `${field} needs a column email or phone_number` })
  }
  if (records.length > MAX_CSV_ROWS) {
    throw invalid({ field, message: `${field} has more than ${MAX_CSV_ROWS} rows` })
  }
  return records.map((record) => {
    const email = cellOf(record, columns.email) ?? ''
    const phone = cellOf(record, columns.phone) ?? ''
    const named = (cellOf(record, columns.componentIds) ?? '').split(/[;,\s]+/).filter(Boolean)
    const ids = named.flatMap((sourceId) => idsBySource.get(sourceId) ?? [])
    const isLost = named.length > 0 && ids.length === 0 && !named.some((id) => planned.has(id))
    return {
      line: record.line,
      cells: {
        type: email === '' && phone !== '' ? 'sms' : 'email',
        ...(email === '' ? { phone } : { email }),
        ...(ids.length === 0 ? {} : { componentIds: ids.join(LIST_SEPARATOR) }),
      },
      problem: isLost ? 'names no component that was imported' : null,
    }
  })
}

interface Record {
  cells: string[]
  line: number
}

const recordsOf = (text: string): Record[] => {
  try {
    const parsed = parse(text, {
      ...{ bom: true, info: true, relax_column_count: true, skip_empty_lines: true },
      to: MAX_CSV_ROWS + 2,
    })
    return (parsed as unknown as { record: string[]; info: { lines: number } }[]).map(
      ({ record, info }) => ({ cells: record, line: info.lines }),
    )
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw invalid({ field, message: `${field} is no CSV: ${error.message}` })
  }
}

const normal = (name: string) => name.trim().toLowerCase().replaceAll(' ', '_')
