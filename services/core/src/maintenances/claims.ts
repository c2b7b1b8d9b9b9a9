/** Changes of status claims caused by a maintenance. Pure; results list only claims that change. */
import { isMaintenanceActive } from '@status-page/contracts'
import {
  endMaintenanceClaim,
  type StatusClaims,
  setMaintenanceClaim,
} from '../components/status.ts'
import type { ComponentRow, MaintenanceRow } from '../tables.ts'

/** Existing components, by id. */
export type ComponentsById = ReadonlyMap<
  string,
  Pick<ComponentRow, 'id' | 'name' | 'status' | 'claims'>
>

export type MaintenanceClaims = ReadonlyMap<string, StatusClaims>

type Claimant = Pick<MaintenanceRow, 'id' | 'status' | 'setUnderMaintenance' | 'restoreOnComplete'>

/** A component has a claim while the maintenance is active, sets under_maintenance and lists it. */
export const applyMaintenanceClaims = (
  { maintenance, listedIds }: { maintenance: Claimant; listedIds: readonly string[] },
  live: ComponentsById,
  now: Date,
): MaintenanceClaims => {
  const { id: maintenanceId, status, setUnderMaintenance } = maintenance
  const isClaiming = isMaintenanceActive(maintenance) && setUnderMaintenance
  // Only a completed maintenance may leave the status; a cancelled one or a removed component
  // restores it.
  const restoreOnComplete = maintenance.restoreOnComplete || status !== 'completed'
  const listed = new Set(listedIds)
  return new Map(
    [...live.values()].flatMap(({ id, claims }): [string, StatusClaims][] => {
      const isListed = listed.has(id)
      const after =
        isClaiming && isListed
          ? setMaintenanceClaim(claims, maintenanceId, now)
          : endMaintenanceClaim(claims, {
              maintenanceId,
              restoreOnComplete: restoreOnComplete || !isListed,
            })
      return JSON.stringify(after) === JSON.stringify(claims) ? [] : [[id, after]]
    }),
  )
}
