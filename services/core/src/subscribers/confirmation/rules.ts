/** Confirmation of addresses: limits, lifetimes and effects. Pure. */
import {
  conflict,
  invalid,
  type SubscriberType,
  type Subscription,
  type SubscriptionPatch,
} from '@status-page/contracts'
import type { SubscriberRow } from '../../tables.ts'
import { maskedAddress, selectedEvents } from '../rules.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Lifetime of a confirmation request, by channel. */
export const confirmationLifetimesMs: Readonly<Record<SubscriberType, number>> = {
  email: 7 * DAY_MS,
  sms: 15 * MINUTE_MS,
  webhook: HOUR_MS,
}

/** Maximum number of messages per address and day, from all organizations and clients. */
export const MAX_MESSAGES_PER_WINDOW = 3
export const MESSAGE_WINDOW_MS = DAY_MS

/** Maximum number of wrong codes per confirmation. */
export const MAX_CODE_ATTEMPTS = 5

/** Retention of unconfirmed subscribers: the lifetime of their last confirmation request. */
export const UNCONFIRMED_RETENTION_MS = confirmationLifetimesMs.email

/** Component that a subscriber may choose; `depth` is its level below the top. */
export interface ComponentChoice {
  id: string
  name: string
  depth: number
}

export const presentSubscription = (
  row: SubscriberRow,
  choices: readonly ComponentChoice[],
): Subscription => ({
  type: row.type,
  destination: maskedAddress(row),
  status: row.status,
  componentIds: row.componentIds,
  events: row.events,
  incidentId: row.incidentId,
  components: choices.map(({ id, name }) => ({ id, name })),
})

/** True when the subscriber receives no notifications. */
export const isInactiveSubscriber = ({ status }: SubscriberRow): boolean =>
  status === 'unsubscribed' || status === 'unconfirmed'

/**
 * Returns the same row when nothing changes. Chosen components that are no longer shown may stay.
 */
export const changeSelection = (
  row: SubscriberRow,
  { componentIds = row.componentIds, events }: SubscriptionPatch,
  choices: readonly ComponentChoice[],
  now: Date,
): SubscriberRow => {
  if (isInactiveSubscriber(row)) {
    throw conflict('invalid_state', 'This subscription has ended: subscribe again')
  }
  if (row.incidentId !== null) {
    throw conflict('invalid_state', 'A subscription to one incident selects nothing else')
  }
  validateSelection(componentIds, new Set([...choices.map(({ id }) => id), ...row.componentIds]))
  const after = {
    ...row,
    componentIds: [...componentIds],
    events: events === undefined ? row.events : selectedEvents(events),
  }
  const isSame = JSON.stringify(after) === JSON.stringify(row)
  return isSame ? row : { ...after, version: row.version + 1, updatedAt: now }
}

export const validateSelection = (ids: readonly string[], allowed: ReadonlySet<string>): void => {
  const unknown = ids.findIndex((id) => !allowed.has(id))
  if (unknown === -1) return
  const field = `componentIds[${unknown}]`
  throw invalid({ field, message: `${field} is not a component of this page` })
}
