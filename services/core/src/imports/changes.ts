/**
 * Applies one import in one transaction. The tree of components is locked first, so that concurrent
 * imports are serialized.
 */
import type {
  AuditDraft,
  EventDraft,
  ImportReport,
  Outcome,
  StatuspageDocuments,
  StatuspageReport,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import { mapCooperatively, runCooperatively } from '@status-page/service'
import { headerEncrypter } from '../components/request-headers.ts'
import { auditComponent, componentEvent, newComponentRow } from '../components/rules.ts'
import {
  ancestorsOf,
  findComponents,
  insertComponent,
  lockComponentTree,
} from '../components/store.ts'
import { lockIncident, saveIncident } from '../incidents/store.ts'
import { lockMaintenance } from '../maintenances/store.ts'
import { type ImportDeps, importRows } from '../subscribers/csv/import.ts'
import type { ComponentRow } from '../tables.ts'
import * as rules from './rules.ts'
import {
  type ImportedDocuments,
  readDocuments,
  type SourceComponentInput,
  type SourceIncidentInput,
  type SourceMaintenanceInput,
} from './statuspage.ts'
import * as store from './store.ts'
import { readSubscriberRows } from './subscribers.ts'

export interface StatuspageImport {
  documents: StatuspageDocuments
  /** Plain text of each text with markup. */
  plain: ReadonlyMap<string, string>
  dryRun: boolean
}

export const importStatuspage = async (
  scope: Scope,
  deps: ImportDeps,
  { documents, plain, dryRun }: StatuspageImport,
): Promise<Outcome<StatuspageReport>> => {
  const { sealer } = deps
  await lockComponentTree(scope)
  const read = await runCooperatively(readDocuments(documents, plain, scope.now))
  const plans = await plansOf(scope, read)
  const made = dryRun
    ? noneCreated
    : await createComponents(scope, sealer, plans.components.created)
  const imported = await referencedComponents(scope, read)
  if (!dryRun) {
    await importIncidents(scope, plans.incidents, imported)
    await importMaintenances(scope, plans.maintenances, imported)
  }
  const { subscribers_csv: csv } = documents
  const people =
    csv === undefined
      ? null
      : await importSubscriberList(scope, deps, { csv, imported, plans, dryRun })
  const { warnings } = read
  const result = reportOf(plans, { dryRun, warnings, subscribers: people?.result ?? null })
  return {
    result,
    events: [...made.events, ...(people?.events ?? [])],
    audit: dryRun ? [] : [...made.audit, ...(people?.audit ?? []), auditOf(scope, result)],
  }
}

interface ImportPlans {
  components: rules.SourcePlan<SourceComponentInput>
  incidents: rules.SourcePlan<SourceIncidentInput>
  maintenances: rules.SourcePlan<SourceMaintenanceInput>
}

const plansOf = async (scope: Scope, read: ImportedDocuments): Promise<ImportPlans> => {
  const known = (kind: store.ImportedKind, all: readonly { sourceId: string }[]) =>
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
  }
}

interface CreatedComponents {
  /** Components by their id at the source. */
  rows: Map<string, ComponentRow>
  events: EventDraft[]
  audit: AuditDraft[]
}

const noneCreated: CreatedComponents = { rows: new Map(), events: [], audit: [] }

/** Creates parents first; a group from an earlier import is reused if it still exists. */
const createComponents = async (
  scope: Scope,
  sealer: Sealer,
  created: readonly SourceComponentInput[],
): Promise<CreatedComponents> => {
  const { organizationId, now } = scope
  const parents = await importedComponents(
    scope,
    created.flatMap(({ parentSourceId }) => parentSourceId ?? []),
  )
  const above = await ancestorsOf(
    scope,
    [...parents.values()].map(({ id }) => id),
  )
  const made: CreatedComponents = { rows: new Map(), events: [], audit: [] }
  for (const { sourceId, parentSourceId, name, description, status, order } of created) {
    const parent = made.rows.get(parentSourceId ?? '') ?? parents.get(parentSourceId ?? '')
    const parentComponentId = parent?.id ?? null
    const id = newId()
    const row = newComponentRow({
      id,
      organizationId,
      source: 'manual',
      now,
      body: { type: 'SERVICE', name, description, status, order, parentComponentId },
      seal: headerEncrypter(sealer, organizationId, id),
    })
    await insertComponent(scope, row)
    made.rows.set(sourceId, row)
    const grandparents = (above.get(parentComponentId ?? '') ?? []).map((ancestor) => ancestor.id)
    const ancestorIds = parentComponentId === null ? [] : [parentComponentId, ...grandparents]
    made.events.push(componentEvent('created', row, ancestorIds))
    made.audit.push(auditComponent('create', null, row))
  }
  const records = [...made.rows].map(([sourceId, { id }]) => ({
    sourceId,
    recordId: id,
    updateIds: [],
  }))
  await store.saveImportedRecords(scope, 'component', records)
  return made
}

/** Components of earlier imports that still exist. */
const importedComponents = async (
  scope: Scope,
  sourceIds: readonly string[],
): Promise<Map<string, ComponentRow>> => {
  const imported = await store.findImportedRecords(scope, 'component', [...new Set(sourceIds)])
  const rows = await findComponents(
    scope,
    [...imported.values()].map(({ recordId }) => recordId),
  )
  return new Map(
    [...imported].flatMap(([sourceId, { recordId }]) => {
      const row = rows.get(recordId)
      return row === undefined ? [] : [[sourceId, row] as const]
    }),
  )
}

/** Components that the documents reference, from this import or an earlier one. */
const referencedComponents = async (
  scope: Scope,
  { components, incidents, maintenances }: ImportedDocuments,
): Promise<rules.ImportedComponents> =>
  importedComponents(scope, [
    ...components.map(({ sourceId }) => sourceId),
    ...[...incidents, ...maintenances].flatMap((one) => one.componentSourceIds),
  ])

const importIncidents = async (
  scope: Scope,
  { created, updated }: rules.SourcePlan<SourceIncidentInput>,
  imported: rules.ImportedComponents,
): Promise<void> => {
  const made = { organizationId: scope.organizationId, newId }
  const rows = await runCooperatively(
    mapCooperatively(created, (item) => rules.incidentRows(item, imported, made)),
  )
  await store.insertIncidents(scope, rows)
  await store.saveImportedRecords(
    scope,
    'incident',
    recordsOf(created, rows, ({ incident }) => incident),
  )
  for (const { item, recordId, newUpdateIds } of updated) {
    const state = await lockIncident(scope, recordId)
    await store.saveImportedRecords(scope, 'incident', [recordOf(item, recordId)])
    if (state === undefined) continue
    const { version } = state.incident
    const fitting = updatesWithIds(item, newUpdateIds).slice(
      0,
      rules.remainingUpdateCount(state.updateCount),
    )
    const parent = { incidentId: recordId, version }
    await store.insertIncidentUpdates(
      scope,
      rules.incidentUpdateRows(parent, fitting, imported, made),
    )
    await saveIncident(scope, rules.incidentWithUpdates(state.incident, fitting, scope.now))
  }
}

const importMaintenances = async (
  scope: Scope,
  { created, updated }: rules.SourcePlan<SourceMaintenanceInput>,
  imported: rules.ImportedComponents,
): Promise<void> => {
  const made = { organizationId: scope.organizationId, newId, now: scope.now }
  const rows = await runCooperatively(
    mapCooperatively(created, (item) => rules.maintenanceRows(item, imported, made)),
  )
  await store.insertMaintenances(scope, rows)
  const records = recordsOf(created, rows, ({ maintenance }) => maintenance)
  await store.saveImportedRecords(scope, 'maintenance', records)
  for (const { item, recordId, newUpdateIds } of updated) {
    const state = await lockMaintenance(scope, recordId)
    await store.saveImportedRecords(scope, 'maintenance', [recordOf(item, recordId)])
    if (state === undefined) continue
    const fitting = updatesWithIds(item, newUpdateIds).slice(
      0,
      rules.remainingUpdateCount(state.updateCount),
    )
    const parent = { maintenanceId: recordId, version: state.maintenance.version }
    await store.insertMaintenanceUpdates(scope, rules.maintenanceUpdateRows(parent, fitting, made))
    const after = rules.maintenanceWithUpdates(state.maintenance, fitting, scope.now)
    await store.saveMaintenance(scope, after)
  }
}

const updatesWithIds = <Update extends { sourceId: string }>(
  { updates }: { updates: readonly Update[] },
  ids: readonly string[],
): Update[] => updates.filter(({ sourceId }) => ids.includes(sourceId))

type WithUpdates = Pick<SourceIncidentInput | SourceMaintenanceInput, 'sourceId'> & {
  updates: readonly { sourceId: string }[]
}

const recordOf = ({ sourceId, updates }: WithUpdates, recordId: string) => ({
  sourceId,
  recordId,
  updateIds: updates.map((update) => update.sourceId),
})

const recordsOf = <Row>(
  created: readonly WithUpdates[],
  rows: readonly Row[],
  recordIn: (row: Row) => { id: string },
) => created.map((item, index) => recordOf(item, recordIn(rows[index] as Row).id))

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
  { components, incidents, maintenances }: ImportPlans,
  more: Pick<StatuspageReport, 'dryRun' | 'subscribers' | 'warnings'>,
): StatuspageReport => ({
  ...more,
  components: countsOf(components),
  incidents: countsOf(incidents),
  maintenances: countsOf(maintenances),
})

const countsOf = ({ created, updated, unchanged }: rules.SourcePlan<unknown>) => ({
  created: created.length,
  updated: updated.length,
  unchanged,
})

/** One audit entry for the whole import, with counts. */
const auditOf = (
  { organizationId }: Scope,
  { components, incidents, maintenances }: StatuspageReport,
): AuditDraft => ({
  action: 'statuspage.import',
  entityType: 'organization',
  entityId: organizationId,
  entityName: null,
  changes: {
    components: { to: components },
    incidents: { to: incidents },
    maintenances: { to: maintenances },
  },
})
