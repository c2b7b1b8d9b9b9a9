/** Results of checks. */
import type { Schemas } from '@status-page/client'
import type { State } from '../kit/icon.tsx'

export type CheckRecord = Schemas['Check']
export type CheckResult = Pick<
  CheckRecord,
  'status' | 'statusCode' | 'responseTime' | 'error' | 'conditionResults'
>

export const checkStates: Record<CheckRecord['status'], State> = {
  SUCCESS: 'ok',
  DEGRADED: 'slow',
  FAILURE: 'down',
  TIMEOUT: 'down',
  ERROR: 'down',
}
