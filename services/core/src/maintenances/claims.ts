/** What a maintenance does to the claims of its components. Pure; only claims that change are named. */
import { type Claims, claimByMaintenance, endMaintenanceClaim } from '../components/status.ts'
import type { ComponentRow, MaintenanceRow } from '../tables.ts'

/** Components that exist, by id. */
export type Live = ReadonlyMap<string, Pick<ComponentRow, 'id' | 'name' | 'status' | 'claims'>>

export type ClaimsById = ReadonlyMap<string, Claims>

type Claimant = Pick<MaintenanceRow, 'id' | 'status' | 'setUnderMaintenance' | 'restoreOnComplete'>

export const isActive = ({ status }: Pick<MaintenanceRow, 'status'>): boolean =>
  status === 'in_progress' || status === 'verifying'

/** Claims begin and end with activity, the flag, and being listed. */
export const claimsAfter = (
  { maintenance, listedIds }: { maintenance: Claimant; listedIds: readonly string[] },
  live: Live,
  now: Date,
): ClaimsById => {
  const { id: maintenanceId, status, setUnderMaintenance } = maintenance
  const holds = isActive(maintenance) && setUnderMaintenance
  // Only what was completed stays under maintenance; what is cancelled or dropped does not.
  const restoreOnComplete = maintenance.restoreOnComplete || status !== 'completed'
  const listed = new Set(listedIds)
  return new Map(
    [...live.values()].flatMap(({ id, claims }): [string, Claims][] => {
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
