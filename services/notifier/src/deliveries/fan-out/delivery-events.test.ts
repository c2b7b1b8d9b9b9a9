/**
 * The filter of the delivery log accepts every event kind that creates deliveries, and no other.
 */
import {
  deliveryEvents,
  incidentDeleted,
  incidentDraftClosed,
  outageConfirmed,
} from '@status-page/contracts'
import t from 'tap'
import { accountHandlers } from '../../accounts/handlers.ts'
import { alertHandler } from '../../alerts/handlers.ts'
import { confirmationHandler } from '../../confirmations/handlers.ts'
import { TEST_EVENT } from '../../messages/sample.ts'
import { DESTINATION_ENDED } from '../../messages/suppression-mail.ts'
import { deliveryHandlers } from './handlers.ts'

/** Kinds that cancel deliveries, and one that creates deliveries of `monitor.down`. */
const withoutOwnDeliveries: readonly string[] = [
  incidentDeleted.kind,
  incidentDraftClosed.kind,
  outageConfirmed.kind,
]

t.test('every event kind that creates deliveries is a filter of the delivery log', async (t) => {
  const eventHandlers = [...accountHandlers, ...deliveryHandlers, alertHandler, confirmationHandler]
  const kinds = eventHandlers
    .flatMap(({ on }) => on.map(({ kind }) => kind as string))
    .filter((kind) => !withoutOwnDeliveries.includes(kind))
  t.same([...kinds, DESTINATION_ENDED, TEST_EVENT].sort(), [...deliveryEvents].sort())
})
