/** Authorization of calls by the matched operation and the caller's grants, never by the URL. */
import {
  forbidden,
  grantsMeet,
  missingPermission,
  type Operation,
  type Requirement,
  requirementOfOperation,
  unauthorized,
} from '@status-page/contracts'
import type { Caller } from './call.ts'

/** By operation; deriving the requirement would take as long as the check. */
const requirements = new WeakMap<Operation, Requirement | null>()

const requirementFor = (operation: Operation): Requirement | null => {
  const known = requirements.get(operation)
  if (known !== undefined) return known
  const requirement = requirementOfOperation(operation)
  requirements.set(operation, requirement)
  return requirement
}

/** Throws 401 or 403; `public` and `signature` operations authorize themselves. */
export const authorizeCall = (operation: Operation, caller: Caller): void => {
  const { permission } = operation
  const { grants } = caller
  if (permission === 'public' || permission === 'signature') return
  if (grants.kind === 'anonymous') throw unauthorized()
  if (permission === 'caller') return
  if (permission === 'session') {
    if (grants.kind === 'key') throw forbidden('session_required', 'A login session is required')
    return
  }
  const needed = requirementFor(operation)
  if (needed === null || grantsMeet(grants, needed)) return
  throw missingPermission(needed)
}
