/** States of resources as those of the public page. */
import type { Schemas } from '@status-page/client'
import { disruptedStatuses } from '../api/contract.ts'
import type { State } from '../kit/icon.tsx'

type ComponentStatus = Schemas['Component']['status']
type Impact = Schemas['Incident']['impact']

export const componentStates: Record<ComponentStatus, State> = {
  operational: 'ok',
  degraded_performance: 'slow',
  partial_outage: 'part',
  major_outage: 'down',
  under_maintenance: 'work',
}

export const impactStates: Record<Impact, State> = {
  minor: 'slow',
  major: 'part',
  critical: 'down',
}

type StatusCounts = NonNullable<Schemas['Overview']['components']>['byStatus']

/** Number of disrupted components and the worst status among all. */
export const summaryOf = (counts: StatusCounts): { disrupted: number; worst: ComponentStatus } => {
  const disrupted = disruptedStatuses.reduce((sum, status) => sum + counts[status], 0)
  const worst = disruptedStatuses.find((status) => counts[status] > 0)
  return { disrupted, worst: worst ?? 'operational' }
}
