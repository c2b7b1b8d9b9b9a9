/** Rules of an import for each row. Pure except for the hashes of addresses. */
import {
  type Cooperative,
  type ImportReport,
  MAX_CSV_ERRORS,
  type SubscriberEvent,
  subscriberEvents,
} from '@status-page/contracts'
import { sha256 } from '@status-page/secrets'
import { type TextFormat, textFormats } from '@status-page/service'
import type { SubscriberRow } from '../../tables.ts'
import { isWithdrawn, selectedEvents } from '../rules.ts'
import { type CsvRow, LIST_SEPARATOR } from './csv.ts'

const MAX_SCOPE = 500

export interface ImportOptions {
  /** Treatment of an address that exists already. */
  duplicates: 'skip' | 'update' | 'fail'
  dryRun: boolean
}

/** Pages and components that rows may reference. */
export interface ImportReferences {
  componentIds: ReadonlySet<string>
  statusPageIds: ReadonlySet<string>
}

/** Valid row of a file. */
export interface ImportCandidate {
  line: number
  type: 'email' | 'sms'
  address: string
  addressDigest: string
  statusPageId: string | null
  /** Undefined when the file has no such column. */
  componentIds: string[] | undefined
  events: SubscriberEvent[] | undefined
  /** Rows are for whole pages. */
  incidentId: null
  /** True when the row is an exported subscriber without notifications, or of one incident. */
  isInactive: boolean
}

export type RowError = ImportReport['errors'][number]

export const validateRow = (row: CsvRow, known: ImportReferences): ImportCandidate | RowError => {
  const error = (field: string, message: string) => ({ row: row.line, field, message })
  const { type, email = '', phone = '', status } = row.cells
  if (row.problem !== null) return error('row', row.problem)
  if (type !== 'email' && type !== 'sms') return error('type', 'must be one of email, sms')
  const field = type === 'email' ? 'email' : 'phone'
  const given = type === 'email' ? email : phone
  const { canonical, accepts, expectation } = textFormats[addressFormats[type]] as TextFormat
  const address = canonical?.(given) ?? given
  if (!accepts(address)) return error(field, `must be ${expectation}`)
  const scope = scopeOf(row, known)
  if ('field' in scope) return error(scope.field, scope.message)
  const isInactive = (status !== undefined && status !== 'active') || !!row.cells.incidentId
  return {
    line: row.line,
    type,
    address,
    addressDigest: sha256(address),
    ...scope,
    incidentId: null,
    isInactive,
  }
}

const addressFormats = { email: 'mailbox', sms: 'phone' } as const

type Scope = Pick<ImportCandidate, 'componentIds' | 'events' | 'statusPageId'>

const scopeOf = ({ cells }: CsvRow, known: ImportReferences): Scope | Omit<RowError, 'row'> => {
  const gapped = (['componentIds', 'events'] as const).find((field) => hasGap(cells[field]))
  if (gapped !== undefined) return { field: gapped, message: 'must not have an empty entry' }
  const componentIds = listOf(cells.componentIds)?.map((id) => id.toLowerCase())
  const events = listOf(cells.events) as SubscriberEvent[] | undefined
  const statusPageId = cells.statusPageId || null
  if (componentIds !== undefined && componentIds.length > MAX_SCOPE) {
    return { field: 'componentIds', message: `must have at most ${MAX_SCOPE} entries` }
  }
  if (componentIds?.some((id) => !known.componentIds.has(id))) {
    return { field: 'componentIds', message: 'must be components of the organization' }
  }
  if (events?.some((event) => !subscriberEvents.includes(event))) {
    return { field: 'events', message: `must be any of ${subscriberEvents.join(', ')}` }
  }
  if (statusPageId !== null && !known.statusPageIds.has(statusPageId)) {
    return { field: 'statusPageId', message: 'must be a status page of the organization' }
  }
  return { componentIds, events: events && selectedEvents(events), statusPageId }
}

/** True for an empty entry, as in `a;;b`; an empty cell is an empty list. */
const hasGap = (cell = ''): boolean => cell !== '' && cell.split(LIST_SEPARATOR).includes('')

const listOf = (cell: string | undefined): string[] | undefined =>
  cell === undefined
    ? undefined
    : [...new Set(cell.split(LIST_SEPARATOR).filter((part) => part !== ''))]

/** Key of one subscription: an address, and the page and incident that it is bound to. */
export const subscriptionKeyOf = (
  subscription: Pick<SubscriberRow, 'type' | 'addressDigest' | 'statusPageId' | 'incidentId'>,
) =>
  `${subscription.type} ${subscription.addressDigest} ${subscription.statusPageId ?? ''} ${subscription.incidentId ?? ''}`

/** Key of an address, the same on all pages. */
const addressKeyOf = (subscription: Pick<SubscriberRow, 'type' | 'addressDigest'>) =>
  `${subscription.type} ${subscription.addressDigest}`

/**
 * Stored subscription that a row duplicates: the one of the same page, else an active one if either
 * is for all pages.
 */
const repeatedBy = (
  candidate: ImportCandidate,
  sameAddressRows: readonly SubscriberRow[],
): SubscriberRow | undefined =>
  sameAddressRows.find((row) => subscriptionKeyOf(row) === subscriptionKeyOf(candidate)) ??
  sameAddressRows.find(
    ({ status, statusPageId, incidentId }) =>
      status === 'active' &&
      incidentId === null &&
      (statusPageId === null || candidate.statusPageId === null),
  )

export interface ImportPlan {
  /** New subscriptions by key; with `update` the last row of an address counts. */
  added: Map<string, ImportCandidate>
  updated: Map<string, { before: SubscriberRow; after: SubscriberRow }>
  report: ImportReport
}

export function* planImport(
  validated: readonly (ImportCandidate | RowError)[],
  existing: ReadonlyMap<string, SubscriberRow>,
  { duplicates, dryRun }: ImportOptions,
  now: Date,
): Cooperative<ImportPlan> {
  const plan: ImportPlan = { added: new Map(), updated: new Map(), report: emptyReport(dryRun) }
  const { report } = plan
  const rowsByAddress = Map.groupBy(existing.values(), addressKeyOf)
  report.total = validated.length
  for (const result of validated) {
    yield
    if ('message' in result) addRowError(report, result)
    else {
      const sameAddressRows = rowsByAddress.get(addressKeyOf(result)) ?? []
      const stored = repeatedBy(result, sameAddressRows)
      const key = subscriptionKeyOf(stored ?? result)
      const isRepeated = plan.added.has(key)
      const verdict = verdictOf(result, { stored, sameAddressRows, isRepeated, duplicates })
      if (verdict === 'add') plan.added.set(key, result)
      else if (verdict === 'update') update(plan, key, result, stored, now)
      else if (verdict === 'skip') report.skipped++
      else
        addRowError(report, {
          row: result.line,
          field: fieldOf(result),
          message: 'is already subscribed',
        })
    }
  }
  report.imported = plan.added.size
  return plan
}

const emptyReport = (dryRun: boolean): ImportReport => ({
  total: 0,
  imported: 0,
  updated: 0,
  skipped: 0,
  failed: 0,
  dryRun,
  errors: [],
})

const fieldOf = ({ type }: ImportCandidate) => (type === 'email' ? 'email' : 'phone')

export const addRowError = (report: ImportReport, error: RowError): void => {
  report.failed++
  if (report.errors.length < MAX_CSV_ERRORS) report.errors.push(error)
}

interface Circumstances {
  stored: SubscriberRow | undefined
  sameAddressRows: readonly SubscriberRow[]
  isRepeated: boolean
  duplicates: ImportOptions['duplicates']
}

/**
 * An address whose owner withdrew stays withdrawn on every page, and an inactive subscriber of an
 * export is not imported as active.
 */
const verdictOf = (
  { isInactive }: ImportCandidate,
  { stored, sameAddressRows, isRepeated, duplicates }: Circumstances,
): 'add' | ImportOptions['duplicates'] => {
  if (isInactive || stored?.status === 'unsubscribed') return 'skip'
  if (stored !== undefined) return duplicates
  if (sameAddressRows.some(isWithdrawn)) return 'skip'
  return isRepeated ? duplicates : 'add'
}

const update = (
  plan: ImportPlan,
  key: string,
  candidate: ImportCandidate,
  stored: SubscriberRow | undefined,
  now: Date,
): void => {
  const { report } = plan
  if (stored === undefined) {
    plan.added.set(key, candidate)
    report.updated++
    return
  }
  const earlier = plan.updated.get(key)
  const before = earlier?.after ?? stored
  const { componentIds = before.componentIds, events = before.events } = candidate
  const changed = { ...before, componentIds, events }
  if (JSON.stringify(changed) === JSON.stringify(before)) {
    report.skipped++
    return
  }
  const after = { ...changed, version: stored.version + 1, updatedAt: now }
  plan.updated.set(key, { before: stored, after })
  report.updated++
}
