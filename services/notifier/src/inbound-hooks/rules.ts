/** Interpretation of inbound text messages and delivery reports; pure. */

const stopWords: ReadonlySet<string> = new Set([
  'STOP',
  'STOPALL',
  'UNSUBSCRIBE',
  'CANCEL',
  'END',
  'QUIT',
  'OPTOUT',
  'REVOKE',
  'ARRET',
])
const startWords: ReadonlySet<string> = new Set(['START', 'YES', 'UNSTOP'])
const helpWords: ReadonlySet<string> = new Set(['HELP', 'INFO'])

export type HookSubscriptionRequest = 'stop' | 'start' | 'help' | 'other'

/**
 * Requests by Twilio's OptOutType. Twilio answers HELP itself, so that it is not answered again.
 */
const requestsByOptOutType: Readonly<Record<string, HookSubscriptionRequest>> = {
  STOP: 'stop',
  START: 'start',
  HELP: 'other',
}

/**
 * Returns the request of an inbound message. The whole message counts, not a word in it; the
 * carrier's classification takes precedence.
 */
export const subscriptionRequestOf = (
  body: string,
  optOutType: string | null,
): HookSubscriptionRequest => {
  const carrierRequest =
    optOutType === null ? undefined : requestsByOptOutType[optOutType.trim().toUpperCase()]
  if (carrierRequest !== undefined) return carrierRequest
  const word = body.trim().normalize('NFD').replaceAll(/\p{M}/gu, '').toUpperCase()
  if (stopWords.has(word)) return 'stop'
  if (startWords.has(word)) return 'start'
  return helpWords.has(word) ? 'help' : 'other'
}

/** Progress of a message; reports may arrive out of order, and only a later status is saved. */
const ranks: Readonly<Record<string, number>> = {
  accepted: 0,
  scheduled: 0,
  queued: 1,
  deliveryJob: 2,
  sent: 3,
  delivered: 4,
  undelivered: 4,
  failed: 4,
  canceled: 4,
  read: 5,
}

export const isLaterStatus = (status: string, before: string): boolean =>
  (ranks[status] ?? -1) > (ranks[before] ?? -1)

export const isFailureStatus = (status: string): boolean =>
  status === 'undelivered' || status === 'failed'
