/**
 * Import of subscribers from a file: stores valid rows in one transaction and reports invalid ones.
 */
import {
  type AuditDraft,
  type Cooperative,
  draftAudit,
  type ImportReport,
  invalid,
  type Outcome,
  type subscriberOperations,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import type { Authenticator, Sealer } from '@status-page/secrets'
import { type Call, mapCooperatively, runCooperatively } from '@status-page/service'
import { listAllComponents } from '../../components/store.ts'
import { findPages } from '../../status-pages/settings/store.ts'
import type { SubscriberRow } from '../../tables.ts'
import { findErasedAddresses, hasErasedAddresses } from '../erased-addresses.ts'
import { addSubscriber, importEvents } from '../rules.ts'
import { encryptSecrets } from '../secrets.ts'
import * as store from '../store.ts'
import { type CsvRow, readCsvRows } from './csv.ts'
import {
  type ImportCandidate,
  type ImportOptions,
  type ImportPlan,
  type ImportReferences,
  planImport,
  type RowError,
  validateRow,
} from './import-rules.ts'

type ImportCall = Call<typeof subscriberOperations.import>

export interface ImportDeps {
  sealer: Sealer
  /** Keys the hashes of addresses that only their owner may subscribe again. */
  erasedAddress: Authenticator
}

export const importSubscribers = async (
  deps: ImportDeps,
  call: ImportCall,
): Promise<ImportReport> => {
  const { rows, options } = await readUpload(call)
  return call.change((scope) => importRows(deps, scope, rows, options))
}

/** Stores valid rows and reports invalid ones; an invalid row does not fail the request. */
export const importRows = async (
  { sealer, erasedAddress }: ImportDeps,
  scope: Scope,
  rows: readonly CsvRow[],
  options: ImportOptions,
): Promise<Outcome<ImportReport>> => {
  const references = await loadReferences(scope, rows)
  const rowResults = await runCooperatively(
    mapCooperatively(rows, (row) => validateRow(row, references)),
  )
  const candidates = rowResults.filter(
    (result): result is ImportCandidate => !('message' in result),
  )
  const existing = await store.lockSubscribersByKey(scope, candidates)
  // Checked after the locks: a concurrent deletion that was waited for has stored its hash by now.
  const { validated, erased } = await withoutErased(erasedAddress, scope, rowResults)
  const plan = await runCooperatively(planImport(validated, existing, options, scope.now))
  plan.report.total += erased
  plan.report.skipped += erased
  if (options.dryRun) return { result: plan.report, events: [], audit: [] }
  const events = await applyDecision(sealer, scope, plan)
  return { result: plan.report, events, audit: [auditImport(plan.report)] }
}

/** Drops rows of erased addresses; the report has only their number. */
const withoutErased = async (
  erasedAddress: Authenticator,
  scope: Scope,
  validated: readonly (ImportCandidate | RowError)[],
): Promise<{ validated: (ImportCandidate | RowError)[]; erased: number }> => {
  if (!(await hasErasedAddresses(scope))) return { validated: [...validated], erased: 0 }
  const hashes = await runCooperatively(hashesOf(erasedAddress, validated))
  const erased = await findErasedAddresses(scope, hashes.flat())
  const remaining = validated.filter(
    (_one, index) => !hashes[index]?.some((hash) => erased.has(hash)),
  )
  return { validated: remaining, erased: validated.length - remaining.length }
}

function* hashesOf(
  erasedAddress: Authenticator,
  validated: readonly (ImportCandidate | RowError)[],
): Cooperative<string[][]> {
  const hashes: string[][] = []
  for (const result of validated) {
    hashes.push('message' in result ? [] : erasedAddress.accepted(result.address))
    yield
  }
  return hashes
}

const fields = ['skipDuplicates', 'updateDuplicates', 'dryRun'] as const

/** Form fields may follow the file, so its rows are buffered; their number is limited. */
const readUpload = async (
  call: ImportCall,
): Promise<{ rows: CsvRow[]; options: ImportOptions }> => {
  const given = new Map<string, string>()
  let rows: CsvRow[] | null = null
  for await (const part of call.parts()) {
    const { name } = part
    if (part.kind === 'file') {
      if (name !== 'file')
        throw invalid({ field: name, message: 'The form field of the file must be named file' })
      rows = await readCsvRows(part.content)
    } else if (given.has(name)) {
      throw invalid({ field: name, message: `${name} must be given once` })
    } else given.set(name, part.value)
  }
  if (rows === null) throw invalid({ field: 'file', message: 'file is required' })
  return { rows, options: optionsOf(given) }
}

const optionsOf = (given: ReadonlyMap<string, string>): ImportOptions => {
  const [skips, updates, dryRun] = fields.map((name) => flagOf(name, given.get(name)))
  if (skips === true && updates === true) {
    const message = 'updateDuplicates and skipDuplicates are mutually exclusive'
    throw invalid({ field: 'updateDuplicates', message })
  }
  const isSkipping = skips ?? updates !== true
  const duplicates = updates === true ? 'update' : isSkipping ? 'skip' : 'fail'
  return { duplicates, dryRun: dryRun === true }
}

const flagOf = (name: string, text: string | undefined): boolean | undefined => {
  if (text === undefined) return undefined
  if (text !== 'true' && text !== 'false') {
    throw invalid({ field: name, message: `${name} must be true or false` })
  }
  return text === 'true'
}

const loadReferences = async (scope: Scope, rows: readonly CsvRow[]): Promise<ImportReferences> => {
  const namesComponents = rows.some(({ cells }) => cells.componentIds)
  const components = namesComponents ? await listAllComponents(scope) : []
  const named = new Set(rows.flatMap(({ cells }) => cells.statusPageId || []))
  const pages = named.size === 0 ? [] : await findPages(scope, [...named].filter(isId))
  return {
    componentIds: new Set(components.map(({ id }) => id)),
    statusPageIds: new Set(pages.map(({ id }) => id)),
  }
}

const isId = (text: string) =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text)

const applyDecision = async (
  sealer: Sealer,
  scope: Scope,
  { added, updated, report }: ImportPlan,
) => {
  const conversions = mapCooperatively([...added.values()], (candidate) =>
    subscriberOf(sealer, scope, candidate),
  )
  const rows = await runCooperatively(conversions)
  const inserted = await store.insertSubscribers(scope, rows)
  // A concurrent request may have inserted the same addresses.
  report.imported = inserted.size
  report.skipped += rows.length - inserted.size
  const changed = [...updated.values()].map(({ after }) => after)
  await store.saveImportedChanges(scope, changed)
  const stored = [...rows.filter(({ id }) => inserted.has(id)), ...changed]
  return runCooperatively(importEvents(stored, newId))
}

const subscriberOf = (
  sealer: Sealer,
  { organizationId, now }: Scope,
  { type, address, componentIds = [], events = [], statusPageId }: ImportCandidate,
): SubscriberRow => {
  const id = newId()
  const scope = { componentIds, events, statusPageId }
  const body =
    type === 'email' ? { type, email: address, ...scope } : { type, phone: address, ...scope }
  const secrets = encryptSecrets(sealer, { organizationId, id }, body)
  return { ...addSubscriber({ id, organizationId, body, secrets }, now), source: 'import' }
}

/** One audit entry per file, with counts and without addresses. */
const auditImport = ({ imported, updated, skipped, failed }: ImportReport): AuditDraft =>
  draftAudit(
    'subscriber.import',
    { id: newId(), name: null },
    {
      imported: { to: imported },
      updated: { to: updated },
      skipped: { to: skipped },
      failed: { to: failed },
    },
  )
