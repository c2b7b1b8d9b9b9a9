/**
 * Host names of pages: claimed, looked for, found, lost. Pure. A page is shown under its name once the
 * name's CNAME leads to our host; a lookup that nobody answers proves nothing either way.
 */
import { invalid } from '@status-page/contracts'
import type { Alias } from '@status-page/outbound'
import type { StatusPageRow } from '../tables.ts'

const MINUTE_MS = 60_000
export const LOOKUP_INTERVAL_MS = 10 * MINUTE_MS
/** A name that is not found gets so long to appear, one that was found so long to come back. */
export const PATIENCE_MS = 72 * 60 * MINUTE_MS

export type DomainState = Pick<
  StatusPageRow,
  'customDomain' | 'customDomainStatus' | 'customDomainMissingSince' | 'customDomainDueAt'
>

export const noDomain: DomainState = {
  customDomain: null,
  customDomainStatus: 'none',
  customDomainMissingSince: null,
  customDomainDueAt: null,
}

/** `given` undefined: the field was not sent. Sent again, a page's own name is looked for at once. */
export const claimDomain = (
  state: DomainState,
  given: string | null | undefined,
  { now, ownHost }: { now: Date; ownHost: string },
): DomainState => {
  if (given === undefined) return pick(state)
  if (given === null) return noDomain
  if (given === ownHost || given.endsWith(`.${ownHost}`)) {
    const message = 'customDomain must not be a name of this installation'
    throw invalid({ field: 'customDomain', message })
  }
  const isActive = given === state.customDomain && state.customDomainStatus === 'active'
  if (isActive) return { ...pick(state), customDomainDueAt: now }
  return {
    customDomain: given,
    customDomainStatus: 'pending',
    customDomainMissingSince: now,
    customDomainDueAt: now,
  }
}

/** What a lookup says of a name that is pending or active. */
export const judgeDomain = (
  state: DomainState,
  alias: Alias,
  { now, ownHost }: { now: Date; ownHost: string },
): DomainState => {
  const next = { ...pick(state), customDomainDueAt: new Date(now.getTime() + LOOKUP_INTERVAL_MS) }
  if (alias.isAnswered && alias.target === ownHost) {
    return { ...next, customDomainStatus: 'active', customDomainMissingSince: null }
  }
  const since = state.customDomainMissingSince ?? (alias.isAnswered ? now : null)
  const isGivenUp = since !== null && now.getTime() - since.getTime() >= PATIENCE_MS
  if (!isGivenUp) return { ...next, customDomainMissingSince: since }
  return {
    ...next,
    customDomainStatus: 'failed',
    customDomainMissingSince: null,
    customDomainDueAt: null,
  }
}

const pick = (state: DomainState): DomainState => ({
  customDomain: state.customDomain,
  customDomainStatus: state.customDomainStatus,
  customDomainMissingSince: state.customDomainMissingSince,
  customDomainDueAt: state.customDomainDueAt,
})
