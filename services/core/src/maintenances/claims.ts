/** What a maintenance does to the claims of its components. Pure; only claims that change are named. */
import { claimByMaintenance, endMaintenanceClaim, type StatusClaims } from '../components/status.ts'
import type { ComponentRow, MaintenanceRow } from '../tables.ts'

/** Components that exist, by id. */
export type ComponentsById = ReadonlyMap<
  string,
  Pick<ComponentRow, 'id' | 'name' | 'status' | 'claims'>
>

export type MaintenanceClaims = ReadonlyMap<string, StatusClaims>

type Claimant = Pick<MaintenanceRow, 'id' | 'status' | 'setUnderMaintenance' | 'restoreOnComplete'>

export const isActive = ({ status }: Pick<MaintenanceRow, 'status'>): boolean =>
  status === 'in_progress' || status === 'verifying'

/** Claims begin and end with activity, the flag, and being listed. */
export const claimsAfter = (
  { maintenance, listedIds }: { maintenance: Claimant; listedIds: readonly string[] },
  live: ComponentsById,
  now: Date,
): MaintenanceClaims => {
  const { id: maintenanceId, status, setUnderMaintenance } = maintenance
  const holds = isActive(maintenance) && setUnderMaintenance
  // Only what was completed stays under maintenance; what is cancelled or dropped does not.
  const restoreOnComplete = maintenance.restoreOnComplete || status !== 'completed'
  const listed = new Set(listedIds)
  return new Map(
    [...live.values()].flatMap(({ id, claims }): [string, StatusClaims][] => {
      const isListed = listed.has(id)
      const after =
        holds && isListed
          ? claimByMaintenance(claims, maintenanceId, now)
          : endMaintenanceClaim(claims, {
              maintenanceId,
              restoreOnComplete: restoreOnComplete || !isListed,
            })
      return JSON.stringify(after) === JSON.stringify(claims) ? [] : [[id, after]]
    }),
  )
}
