/** The text before the operations: what holds for all of them. */
import { type BucketName, bucketOf, MAX_PAGE_SIZE, type Operation } from '@status-page/contracts'
import { buckets, type CountedBy } from '../limits/buckets.ts'
import { errorTable } from './errors.ts'

const table = (head: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const countedByText: Readonly<Record<CountedBy, string>> = {
  address: 'IP address',
  caller: 'key or user',
  subject: 'webhook',
}

const SECOND_MS = 1000

const limitTable = (charged: ReadonlySet<BucketName>): string => {
  const rows = Object.entries(buckets).filter(([name]) => charged.has(name as BucketName))
  return table(
    ['Bucket', 'Requests', 'Counted per'],
    rows.map(([name, { capacity, windowMs, countedBy, perOperation }]) => [
      name,
      `${capacity} in ${windowMs / SECOND_MS} s`,
      [
        countedBy.map((by) => countedByText[by]).join(', and separately '),
        ...(perOperation ? ['operation'] : []),
      ].join(' and '),
    ]),
  )
}

const allBucketsOf = (operation: Operation) => [
  bucketOf(operation),
  ...(operation.alsoCounts ?? []),
]

/** Tables are folded away, so that the operations are not far. */
const collapsible = (summary: string, text: string): string =>
  `<details><summary>${summary}</summary>\n\n${text}\n\n</details>`

export const introductionText = (
  listed: readonly Operation[],
): string => `Status pages and incident communication: one API for both.

## Who is asking

Programs send an API key, \`Authorization: Bearer sk_live_…\`; browsers send the session cookie that
login sets. To try operations here, press *Authorize* and paste a key; this page forgets it when it
is closed. Every operation names the permission that a key needs, and in brackets the right that a
role needs. A key with \`:write\` reads too.

## Values

Ids are UUIDs made by the server. Times are ISO 8601 in UTC with milliseconds; any RFC 3339 offset
is understood. Types are never coerced, unknown body fields are ignored. A PATCH changes the fields
that it holds; \`null\` clears an optional one.

## Lists

Lists answer \`{"data": [], "meta": {"total", "page", "pageSize"}}\`. A page has at most
${MAX_PAGE_SIZE} entries. \`include\` takes comma-separated names of what else is wanted.

## Repeating

A POST with an \`Idempotency-Key\` may be sent again for 24 h: the same key and body give the stored
answer. An answer that shows a secret is not stored: the key has no effect there. A write with \`If-Match\` fails with 409 where somebody else was faster.

## Rate limits

Windows slide. Every bucket that applies is charged, whatever the answer, and the headers describe
the one with the fewest requests left. Operators may set other numbers.

${collapsible('All buckets', limitTable(new Set(['global', ...listed.flatMap(allBucketsOf)])))}

## Errors

Every error is \`{"error": {"code", "message", "details"}}\`.

${collapsible('All codes', table(['Status', 'Code', 'Meaning'], errorTable()))}
`
