/**
 * Parses CSV as it arrives, in small pieces that yield to the event loop. Rows, values and
 * characters are counted before parsing, because a parser does not count empty values: a row of
 * four million commas blocked the event loop for seconds.
 */
import { pipeline, Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Info, parse } from 'csv-parse'

export interface CsvLimits {
  /** Maximum number of rows, including the header; empty lines do not count. */
  maxRows: number
  maxRowCharacters: number
  /** Maximum number of values in a row. */
  maxValues: number
}

export interface CsvRecord {
  record: string[]
  info: Info
}

export type CsvLimitKind = 'rows' | 'row-size' | 'values'

export class CsvLimitError extends Error {
  readonly bound: CsvLimitKind
  /** Line of the text on which the row begins. */
  readonly line: number

  constructor(bound: CsvLimitKind, line: number) {
    super(`the row at line ${line} is beyond the limit: ${bound}`)
    this.name = 'CsvLimitError'
    this.bound = bound
    this.line = line
  }
}

/** Characters per piece, parsed within a few milliseconds. */
const PIECE_CHARACTERS = 8_192

/** Throws CsvLimitError, CsvError and errors of the input stream. Line ends must be line feeds. */
export const parseCsvRecords = (
  text: AsyncIterable<string>,
  limits: CsvLimits,
): AsyncIterable<CsvRecord> => {
  const parser = parse({
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: '\n',
  })
  pipeline(Readable.from(bounded(text, limits)), parser, () => {})
  return parser as AsyncIterable<CsvRecord>
}

async function* bounded(text: AsyncIterable<string>, limits: CsvLimits): AsyncGenerator<string> {
  const scan = scannerOf(limits)
  for await (const chunk of text) {
    for (let start = 0; start < chunk.length; start += PIECE_CHARACTERS) {
      const piece = chunk.slice(start, start + PIECE_CHARACTERS)
      scan(piece)
      yield piece
      await nextTurn()
    }
  }
}

const QUOTE = 0x22
const COMMA = 0x2c
const LINE_FEED = 0x0a

/** Counts rows, characters and values; a quoted value may span several chunks. */
const scannerOf = ({ maxRows, maxRowCharacters, maxValues }: CsvLimits) => {
  let isQuoted = false
  let rows = 0
  let line = 1
  let row = { line, characters: 0, values: 1 }
  const count = (character: number) => {
    if (character === LINE_FEED) line += 1
    if (character === LINE_FEED && !isQuoted) {
      row = { line, characters: 0, values: 1 }
      return
    }
    if (row.characters === 0) rows += 1
    row.characters += 1
    if (character === QUOTE) isQuoted = !isQuoted
    else if (character === COMMA && !isQuoted) row.values += 1
  }
  return (piece: string): void => {
    for (let index = 0; index < piece.length; index += 1) {
      count(piece.charCodeAt(index))
      if (rows > maxRows) throw new CsvLimitError('rows', row.line)
      if (row.characters > maxRowCharacters) throw new CsvLimitError('row-size', row.line)
      if (row.values > maxValues) throw new CsvLimitError('values', row.line)
    }
  }
}
