/** The filter of the delivery log takes every kind that makes deliveries, and no other. */
import { deliveryEvents, incidentDeleted } from '@status-page/contracts'
import t from 'tap'
import { accountReactions } from '../accounts/handlers.ts'
import { alertReaction } from '../alerts/handlers.ts'
import { confirmationReaction } from '../confirmations/handlers.ts'
import { DESTINATION_ENDED } from '../messages/ending-mail.ts'
import { TEST_EVENT } from '../messages/sample.ts'
import { deliveryReactions } from './handlers.ts'

t.test('every kind that makes deliveries is a filter of the delivery log', async (t) => {
  const reactions = [...accountReactions, ...deliveryReactions, alertReaction, confirmationReaction]
  const kinds = reactions
    .flatMap(({ on }) => on.map(({ kind }) => kind as string))
    .filter((kind) => kind !== incidentDeleted.kind)
  t.same([...kinds, DESTINATION_ENDED, TEST_EVENT].sort(), [...deliveryEvents].sort())
})
