/**
 * Export of subscribers as a file, read page by page at the speed of the client, so that memory is
 * bounded.
 */
import { Readable } from 'node:stream'
import type { Query, Subscriber, subscriberOperations } from '@status-page/contracts'
import { type Call, type RawReply, rawReply } from '@status-page/service'
import type { SubscriberRow } from '../../tables.ts'
import { presentSubscriber } from '../rules.ts'
import * as store from '../store.ts'
import { type CsvColumn, exportColumns, LIST_SEPARATOR, toSpreadsheetCsv } from './csv.ts'

const MAX_ROWS = 100_000
const PAGE_ROWS = 1_000

type ListOperation = typeof subscriberOperations.list

export const exportSubscribers = (
  query: Query<ListOperation>,
  read: Call<ListOperation>['read'],
): RawReply => {
  async function* pages() {
    yield toSpreadsheetCsv([[...exportColumns]])
    let after: store.SubscriberCursor | null = null
    for (let remaining = MAX_ROWS; remaining > 0; remaining -= PAGE_ROWS) {
      const limit = Math.min(remaining, PAGE_ROWS)
      const from: store.SubscriberCursor | null = after
      const rows: SubscriberRow[] = await read((scope) =>
        store.listSubscribersAfter(scope, query, from, limit),
      )
      if (rows.length > 0)
        yield toSpreadsheetCsv(rows.map((row) => cellsOf(presentSubscriber(row))))
      const last = rows.at(-1)
      if (last === undefined || rows.length < limit) return
      after = last
    }
  }
  return rawReply({
    contentType: 'text/csv; charset=utf-8; header=present',
    headers: { 'content-disposition': 'attachment; filename="subscribers.csv"' },
    // Buffers one page; the next one is read when it has been sent.
    body: Readable.from(pages(), { highWaterMark: 1 }),
  })
}

const cellsOf = (subscriber: Subscriber): unknown[] =>
  exportColumns.map((name) => cellOf(subscriber[name as CsvColumn]))

const cellOf = (value: Subscriber[CsvColumn]) =>
  Array.isArray(value) ? value.join(LIST_SEPARATOR) : value
