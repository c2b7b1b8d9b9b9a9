/** Statuses of components, with their order by severity. */
import { OneOf } from '../scalars.ts'

/** Statuses in the order of the contract; `statusesBySeverity` has them by severity. */
export const componentStatuses = [
  'operational',
  'degraded_performance',
  'partial_outage',
  'major_outage',
  'under_maintenance',
] as const
export type ComponentStatus = (typeof componentStatuses)[number]
export const ComponentStatus = OneOf(componentStatuses)

/** Statuses of a disruption, with the worst first. */
export const disruptedStatuses = ['major_outage', 'partial_outage', 'degraded_performance'] as const
export type DisruptedStatus = (typeof disruptedStatuses)[number]

/** Statuses with the worst first; a parent shows the worst status of its children. */
export const statusesBySeverity: readonly ComponentStatus[] = [
  ...disruptedStatuses,
  'under_maintenance',
  'operational',
]

export const statusSources = [
  'manual',
  'monitor',
  'incident',
  'maintenance',
  'config',
  'vendor',
] as const
export type StatusSource = (typeof statusSources)[number]
