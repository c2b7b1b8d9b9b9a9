/** Status claims that new updates of incidents and active maintenances of an import set. */
import type { Scope } from '@status-page/postgres'
import { saveDerivedStatuses } from '../components/changes.ts'
import type { StatusClaims } from '../components/status.ts'
import { claimsOnEdit, type StatusByComponentId } from '../incidents/claims.ts'
import { applyMaintenanceClaims } from '../maintenances/claims.ts'
import type { ComponentRow, IncidentComponentRow, IncidentRow, MaintenanceRow } from '../tables.ts'

/** Incident of an earlier import that received updates. */
export interface UpdatedIncident {
  incident: IncidentRow
  components: IncidentComponentRow[]
  /** Latest status of each component in the new updates. */
  componentStatuses: StatusByComponentId
  resolves: boolean
}

/** Maintenance that is active when it is imported. */
export interface StartedMaintenance {
  maintenance: MaintenanceRow
  componentIds: string[]
}

interface ImportedStatuses {
  updated: readonly UpdatedIncident[]
  started: readonly StartedMaintenance[]
  /** New components that are under maintenance at the source. */
  inMaintenance: ReadonlySet<string>
}

/** `live` are the components of these incidents and maintenances; they must be locked. */
export const saveImportedClaims = async (
  scope: Scope,
  live: ReadonlyMap<string, ComponentRow>,
  { updated, started, inMaintenance }: ImportedStatuses,
): Promise<void> => {
  const changed = new Map<string, StatusClaims>()
  const current = (ids: readonly string[]) =>
    new Map(
      ids.flatMap((id) => {
        const row = live.get(id)
        return row === undefined ? [] : [[id, { ...row, claims: changed.get(id) ?? row.claims }]]
      }),
    )
  const addChanges = (claims: ReadonlyMap<string, StatusClaims>) => {
    for (const [id, after] of claims) changed.set(id, after)
  }
  for (const { components, ...reported } of updated) {
    const ids = components.map(({ componentId }) => componentId)
    addChanges(claimsOnEdit({ ...reported, before: ids, after: ids }, current(ids), scope.now))
  }
  for (const { maintenance, componentIds } of started) {
    const ids = componentIds.filter((id) => inMaintenance.has(id))
    addChanges(applyMaintenanceClaims({ maintenance, listedIds: ids }, current(ids), scope.now))
  }
  await saveDerivedStatuses(scope, changed)
}
