/** Statuses of service levels, and the budget that is left. */
import type { SlaStatus } from '@status-page/contracts'
import type { State } from '../kit/icon.tsx'
import type { ServiceLevel } from './queries.ts'

export const serviceLevelMarks: Record<SlaStatus, State> = {
  healthy: 'ok',
  at_risk: 'slow',
  breached: 'down',
  no_data: 'none',
  paused: 'none',
}

type Evaluation = Pick<ServiceLevel['current'], 'budgetTotalSeconds' | 'budgetRemainingSeconds'>

/** Share of the error budget that is left, from 0 to 1; null without data. */
export const budgetShareOf = (evaluation: Evaluation): number | null => {
  const { budgetTotalSeconds: total, budgetRemainingSeconds: remaining } = evaluation
  if (total === null || remaining === null) return null
  if (total === 0) return remaining < 0 ? 0 : 1
  return Math.min(1, Math.max(0, remaining / total))
}
