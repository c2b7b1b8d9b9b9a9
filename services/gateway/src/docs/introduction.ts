/** Introduction of the OpenAPI document: rules that apply to all operations. */
import {
  type BucketName,
  type CountedBy,
  MAX_PAGE_SIZE,
  type Operation,
  rateBucketOf,
  rateBuckets,
} from '@status-page/contracts'
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
  const rows = Object.entries(rateBuckets).filter(([name]) => charged.has(name as BucketName))
  return table(
    ['Bucket', 'Requests', 'Counted per'],
    rows.map(([name, { capacity, windowMs, addressFactor, countedBy, perOperation }]) => [
      name,
      `${capacity} in ${windowMs / SECOND_MS} s`,
      [
        countedBy
          .map((by) =>
            by === 'address' && addressFactor > 1
              ? `${countedByText[by]} (${capacity * addressFactor} requests)`
              : countedByText[by],
          )
          .join(', and separately '),
        ...(perOperation ? ['operation'] : []),
      ].join(' and '),
    ]),
  )
}

const allBucketsOf = (operation: Operation) => [
  rateBucketOf(operation),
  ...(operation.alsoCounts ?? []),
]

/** Collapsible section, so that tables do not push the operations down. */
const collapsible = (summary: string, text: string): string =>
  `<details><summary>${summary}</summary>\n\n${text}\n\n</details>`

export const introductionText = (
  listed: readonly Operation[],
): string => `HTTP API for status pages and incident communication.

## Authentication

Programs send an API key: \`Authorization: Bearer sk_live_…\`. Browsers send the session cookie that
login sets. To try operations on this page, choose *Authorize* and enter a key; the page forgets it
when it is closed. The description of an operation states the permission that an API key needs and,
in parentheses, the right that a role needs. \`:write\` includes \`:read\`.

## Values

Ids are UUIDs that the server generates. Times in responses are ISO 8601 in UTC with milliseconds;
requests may use any RFC 3339 offset. Values must have the right type: they are never converted.
Unknown fields of a body are ignored. A PATCH changes only the fields in its body; \`null\` clears an
optional field.

## Messages

Messages of incidents, updates, maintenances and postmortems are Markdown, a subset of CommonMark:
emphasis, strong text, code, lists, quotations, line breaks, and links to \`http\`, \`https\` and
\`mailto\`. Headings are shown as strong text, images as links, HTML and tables as text. Status pages,
feeds, mails and chats show the markup. SMS, the plain part of mails, calendars and alerts contain
the text without it. Responses and webhooks contain the source. A message with more than 3,000 characters of
punctuation and line breaks is shown as plain text.

## Lists

Lists return \`{"data": [], "meta": {"total", "page", "pageSize"}}\`, with at most ${MAX_PAGE_SIZE} entries
per page. \`include\` takes comma-separated names of optional parts of the response.

## Idempotency and concurrent changes

A POST with an \`Idempotency-Key\` can be repeated for 24 hours: the same key and body get the stored
response. Responses that contain a secret are not stored, so that the key has no effect for them. A
write with \`If-Match\` fails with 409 if the resource has changed in the meantime.

## Rate limits

Limits apply to sliding windows. A request is charged to every bucket that applies, whatever its
result; the response headers describe the bucket with the fewest requests left. Requests with a session
are charged to the bucket \`session\` instead of \`global\` and \`endpoint\`. The operator of an installation
can configure other limits.

${collapsible('All buckets', limitTable(new Set(['global', 'session', ...listed.flatMap(allBucketsOf)])))}

## Errors

Every error has the body \`{"error": {"code", "message", "details"}}\`.

${collapsible('All codes', table(['Status', 'Code', 'Meaning'], errorTable()))}
`
