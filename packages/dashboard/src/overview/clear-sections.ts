/** Sections of the overview in which nothing waits for a person. Pure. */
import type { Schemas } from '@status-page/client'

type Overview = Pick<
  Schemas['Overview'],
  'maintenances' | 'alerts' | 'drafts' | 'deliveries' | 'slas'
>
type Section = 'maintenances' | 'alerts' | 'drafts' | 'deliveries' | 'serviceLevels'

/** Sections without entries, in the order of the view; those without permission are absent. */
export const clearSectionsOf = (overview: Overview): Section[] => {
  const { maintenances, alerts, drafts, deliveries, slas } = overview
  const counts: Record<Section, readonly number[] | null> = {
    maintenances: maintenances && [maintenances.active.total, maintenances.upcoming.total],
    alerts: alerts && [alerts.total],
    drafts: drafts && [drafts.total],
    deliveries: deliveries && [deliveries.pending, deliveries.exhausted],
    serviceLevels: slas && [slas.breached.total, slas.atRisk.total],
  }
  return (Object.keys(counts) as Section[]).filter((section) =>
    counts[section]?.every((count) => count === 0),
  )
}
