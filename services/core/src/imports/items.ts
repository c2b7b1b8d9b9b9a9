/** Creates the incidents and maintenances of an import, and adds updates to those of earlier ones. */
import { isMaintenanceActive } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { mapCooperatively, runCooperatively } from '@status-page/service'
import { lockComponents } from '../components/store.ts'
import { saveImportedSpans } from '../incidents/status-spans.ts'
import { lockIncident, saveIncident } from '../incidents/store.ts'
import { lockMaintenance } from '../maintenances/store.ts'
import type { IncidentUpdateRow } from '../tables.ts'
import { type StartedMaintenance, saveImportedClaims, type UpdatedIncident } from './claims.ts'
import * as rules from './rules.ts'
import type { SourceIncidentInput, SourceMaintenanceInput } from './source/incidents.ts'
import * as store from './store.ts'

interface ImportedItems {
  incidents: rules.SourcePlan<SourceIncidentInput>
  maintenances: rules.SourcePlan<SourceMaintenanceInput>
  /** Ids at the source of new components in an active maintenance. */
  inMaintenance: ReadonlySet<string>
}

export const importItems = async (
  scope: store.ImportScope,
  { incidents, maintenances, inMaintenance }: ImportedItems,
  imported: rules.ImportedComponents,
): Promise<void> => {
  const created = await createIncidents(scope, incidents.created, imported)
  const updated = await updateIncidents(scope, incidents.updated, imported)
  const ids = [...inMaintenance].flatMap((sourceId) => imported.get(sourceId)?.id ?? [])
  const started = await createMaintenances(scope, maintenances.created, imported)
  await updateMaintenances(scope, maintenances.updated)
  const corrected = [...created, ...updated]
  const affected = corrected.flatMap(({ components }) => components)
  // Locked last, as by every other change of an incident.
  const live = await lockComponents(scope, [
    ...new Set([...affected.map(({ componentId }) => componentId), ...ids]),
  ])
  await saveImportedSpans(scope, corrected)
  await saveImportedClaims(scope, live, { updated, started, inMaintenance: new Set(ids) })
}

type CorrectingRows = Pick<rules.IncidentRows, 'incident' | 'components'>

/** Returns the incidents with statuses of components. */
const createIncidents = async (
  scope: store.ImportScope,
  created: readonly SourceIncidentInput[],
  imported: rules.ImportedComponents,
): Promise<CorrectingRows[]> => {
  const identity = { organizationId: scope.organizationId, newId }
  const rows = await runCooperatively(
    mapCooperatively(created, (item) => rules.incidentRows(item, imported, identity)),
  )
  await store.insertIncidents(scope, rows)
  const records = recordsOf(created, rows, ({ incident }) => incident)
  await store.saveImportedRecords(scope, 'incident', records)
  return rows.filter(({ updates }) => updates.some(hasStatuses))
}

const hasStatuses = ({ componentStatuses }: Pick<IncidentUpdateRow, 'componentStatuses'>) =>
  Object.keys(componentStatuses).length > 0

const updateIncidents = async (
  scope: store.ImportScope,
  updated: rules.SourcePlan<SourceIncidentInput>['updated'],
  imported: rules.ImportedComponents,
): Promise<UpdatedIncident[]> => {
  const identity = { organizationId: scope.organizationId, newId }
  const changed: UpdatedIncident[] = []
  for (const { item, recordId, newUpdateIds } of updated) {
    const state = await lockIncident(scope, recordId)
    await store.saveImportedRecords(scope, 'incident', [recordOf(item, recordId)])
    if (state === undefined) continue
    const { version } = state.incident
    const accepted = updatesWithIds(item, newUpdateIds).slice(
      0,
      rules.remainingUpdateCount(state.updateCount),
    )
    const parent = { incidentId: recordId, version }
    const added = rules.addedComponents(state, item, imported)
    await store.insertIncidentComponents(scope, added)
    const rows = rules.incidentUpdateRows(parent, accepted, imported, identity)
    await store.insertIncidentUpdates(scope, rows)
    const incident = rules.incidentWithUpdates(
      state.incident,
      { item, newUpdates: accepted },
      scope.now,
    )
    await saveIncident(scope, incident)
    changed.push({
      incident,
      components: [...state.components, ...added],
      componentStatuses: rules.reportedStatuses(rows),
      resolves: incident.status === 'resolved' && state.incident.status !== 'resolved',
    })
  }
  return changed
}

/** Returns the active maintenances with the ids of their components. */
const createMaintenances = async (
  scope: store.ImportScope,
  created: readonly SourceMaintenanceInput[],
  imported: rules.ImportedComponents,
): Promise<StartedMaintenance[]> => {
  const identity = { organizationId: scope.organizationId, newId, now: scope.now }
  const rows = await runCooperatively(
    mapCooperatively(created, (item) => rules.maintenanceRows(item, imported, identity)),
  )
  await store.insertMaintenances(scope, rows)
  const records = recordsOf(created, rows, ({ maintenance }) => maintenance)
  await store.saveImportedRecords(scope, 'maintenance', records)
  return rows
    .filter(({ maintenance }) => isMaintenanceActive(maintenance))
    .map(({ maintenance, components }) => ({
      maintenance,
      componentIds: components.map(({ componentId }) => componentId),
    }))
}

const updateMaintenances = async (
  scope: store.ImportScope,
  updated: rules.SourcePlan<SourceMaintenanceInput>['updated'],
): Promise<void> => {
  const identity = { organizationId: scope.organizationId, newId }
  for (const { item, recordId, newUpdateIds } of updated) {
    const state = await lockMaintenance(scope, recordId)
    await store.saveImportedRecords(scope, 'maintenance', [recordOf(item, recordId)])
    if (state === undefined) continue
    const accepted = updatesWithIds(item, newUpdateIds).slice(
      0,
      rules.remainingUpdateCount(state.updateCount),
    )
    const parent = { maintenanceId: recordId, version: state.maintenance.version }
    const rows = rules.maintenanceUpdateRows(parent, accepted, identity)
    await store.insertMaintenanceUpdates(scope, rows)
    const after = rules.maintenanceWithUpdates(state.maintenance, accepted, scope.now)
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
