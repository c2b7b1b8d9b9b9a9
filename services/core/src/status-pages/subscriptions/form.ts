/**
 * Ticked boxes of the subscription form: `component-<id>` and `event-<name>`. `default-<id>` names
 * the boxes that were ticked at first.
 */
import { type SubscriberEvent, subscriberEvents } from '@status-page/contracts'

export interface SubscriptionFormValues {
  /** Null for all components. */
  componentIds: string[] | null
  /** Scope of the returned form when it is refused: ticked boxes are hidden below `all`. */
  returnedScope: 'all' | 'some'
  /** Components with a ticked box, whatever the scope. */
  tickedIds: string[]
  events: SubscriberEvent[]
  /** True when all components are chosen and some are ticked; the user must decide. */
  hasConflictingChoices: boolean
}

const COMPONENT = 'component-'
const EVENT = 'event-'
const DEFAULT = 'default-'

export const componentField = (id: string): string => `${COMPONENT}${id}`
export const defaultField = (id: string): string => `${DEFAULT}${id}`
export const eventField = (event: SubscriberEvent): string => `${EVENT}${event}`

/** Unknown fields are ignored; the rules validate the component ids. */
export const parseSubscriptionForm = (
  scope: 'all' | 'some',
  body: Buffer | undefined,
): SubscriptionFormValues => {
  const names = [...new Set(new URLSearchParams(body?.toString() ?? '').keys())]
  const after = (prefix: string) =>
    names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length))
  const events = after(EVENT)
  const ticked = after(COMPONENT)
  const isUntouched = ticked.toSorted().join() === after(DEFAULT).toSorted().join()
  return {
    componentIds: scope === 'all' ? null : ticked,
    returnedScope: ticked.length > 0 && !isUntouched ? 'some' : scope,
    tickedIds: ticked,
    // Browsers submit ticked boxes even when they are hidden; the defaults are no choice.
    hasConflictingChoices: scope === 'all' && ticked.length > 0 && !isUntouched,
    events: subscriberEvents.filter((event) => events.includes(event)),
  }
}
