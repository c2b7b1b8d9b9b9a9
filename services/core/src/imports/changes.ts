/**
 * Applies one import in one transaction. The tree of components is locked first, so that concurrent
 * imports are serialized.
 */
import {
  type AuditDraft,
  type ImportReport,
  MAX_IMPORT_WARNINGS,
  type Outcome,
  type StatuspageDocuments,
  type StatuspageReport,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { runCooperatively } from '@status-page/service'
import { lockComponentTree } from '../components/store.ts'
import { type ImportDeps, importRows } from '../subscribers/csv/import.ts'
import type { ImportedKind } from '../tables.ts'
import { createComponents, noneCreated, referencedComponents } from './components.ts'
import { importItems } from './items.ts'
import { importPage, type NewPageOptions, type PageDeps } from './page.ts'
import * as rules from './rules.ts'
import type { SourceComponentInput } from './source/components.ts'
import { type ImportedDocuments, readDocuments } from './source/documents.ts'
import type { SourceIncidentInput, SourceMaintenanceInput } from './source/incidents.ts'
import type { ConvertedTexts } from './source/normalizer.ts'
import type { SourceTemplateInput } from './source/templates.ts'
import * as store from './store.ts'
import { readSubscriberRows } from './subscribers.ts'
import { createTemplates } from './templates.ts'

export type StatuspageImportDeps = ImportDeps & PageDeps

export interface StatuspageImport {
  documents: StatuspageDocuments
  texts: ConvertedTexts
  dryRun: boolean
  newPage: NewPageOptions
}

export const importStatuspage = async (
  scope: Scope,
  deps: StatuspageImportDeps,
  input: StatuspageImport,
): Promise<Outcome<StatuspageReport>> => {
  const outcome = await importDocuments({ ...scope, source: 'statuspage' }, deps, input)
  return {
    ...outcome,
    audit: input.dryRun ? [] : [...outcome.audit, auditOf(scope, outcome.result)],
  }
}

/** Imports the documents, without an audit entry for the import as a whole. */
export const importDocuments = async (
  scope: store.ImportScope,
  deps: StatuspageImportDeps,
  { documents, texts, dryRun, newPage }: StatuspageImport,
): Promise<Outcome<StatuspageReport>> => {
  await lockComponentTree(scope)
  const read = await runCooperatively(readDocuments(documents, texts, scope.now))
  const plans = await planImport(scope, read)
  const { created } = plans.components
  const inMaintenance = rules.componentsInMaintenance(created, plans.maintenances.created)
  const createdComponents = dryRun
    ? noneCreated
    : await createComponents(scope, deps.sealer, { created, inMaintenance })
  const imported = await referencedComponents(scope, read)
  if (!dryRun) await importItems(scope, { ...plans, inMaintenance }, imported)
  const templateAudit = dryRun
    ? []
    : await createTemplates(scope, plans.templates.created, imported)
  const createdIds = new Set(createdComponents.rows.keys())
  const page = await importPage(scope, deps, {
    documents: read,
    components: imported,
    createdIds,
    newPage,
    dryRun,
  })
  const { subscribers_csv: csv } = documents
  const subscribers =
    csv === undefined
      ? null
      : await importSubscriberList(scope, deps, { csv, imported, plans, dryRun })
  const result = reportOf(plans, {
    dryRun,
    page: page.report,
    warnings: read.warnings.slice(0, MAX_IMPORT_WARNINGS),
    subscribers: subscribers?.result ?? null,
  })
  const audit = [
    ...createdComponents.audit,
    ...templateAudit,
    ...page.audit,
    ...(subscribers?.audit ?? []),
  ]
  return {
    result,
    events: [...createdComponents.events, ...page.events, ...(subscribers?.events ?? [])],
    audit,
  }
}

interface ImportPlans {
  components: rules.SourcePlan<SourceComponentInput>
  incidents: rules.SourcePlan<SourceIncidentInput>
  maintenances: rules.SourcePlan<SourceMaintenanceInput>
  templates: rules.SourcePlan<SourceTemplateInput>
}

const planImport = async (
  scope: store.ImportScope,
  read: ImportedDocuments,
): Promise<ImportPlans> => {
  const known = (kind: ImportedKind, all: readonly { sourceId: string }[]) =>
    store.findImportedRecords(
      scope,
      kind,
      all.map(({ sourceId }) => sourceId),
    )
  return {
    components: rules.planSourceRecords(read.components, await known('component', read.components)),
    incidents: rules.planSourceRecords(read.incidents, await known('incident', read.incidents)),
    maintenances: rules.planSourceRecords(
      read.maintenances,
      await known('maintenance', read.maintenances),
    ),
    templates: rules.planSourceRecords(
      read.templates,
      await known('incident_template', read.templates),
    ),
  }
}

const importSubscriberList = async (
  scope: Scope,
  deps: ImportDeps,
  {
    csv,
    imported,
    plans,
    dryRun,
  }: { csv: string; imported: rules.ImportedComponents; plans: ImportPlans; dryRun: boolean },
): Promise<Outcome<ImportReport>> => {
  const planned = plans.components.created.map(({ sourceId }) => sourceId)
  const ids = new Map([...imported].map(([sourceId, { id }]) => [sourceId, id]))
  const rows = await readSubscriberRows(csv, ids, new Set(planned))
  return importRows(deps, scope, rows, { duplicates: 'skip', dryRun })
}

const reportOf = (
  { components, incidents, maintenances, templates }: ImportPlans,
  details: Pick<StatuspageReport, 'dryRun' | 'page' | 'subscribers' | 'warnings'>,
): StatuspageReport => ({
  ...details,
  components: countsOf(components),
  incidents: countsOf(incidents),
  maintenances: countsOf(maintenances),
  incidentTemplates: countsOf(templates),
})

const countsOf = ({ created, updated, unchanged }: rules.SourcePlan<unknown>) => ({
  created: created.length,
  updated: updated.length,
  unchanged,
})

/** One audit entry for the whole import, with counts. */
const auditOf = (
  { organizationId }: Scope,
  { page, components, incidents, maintenances, incidentTemplates }: StatuspageReport,
): AuditDraft => ({
  action: 'statuspage.import',
  entityType: 'organization',
  entityId: organizationId,
  entityName: null,
  changes: {
    ...(page === null ? {} : { page: { to: page.slug } }),
    components: { to: components },
    incidents: { to: incidents },
    maintenances: { to: maintenances },
    incidentTemplates: { to: incidentTemplates },
  },
})
