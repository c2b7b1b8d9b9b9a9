/** The receipts of the services, this one included. */
import { eventHandler } from '@status-page/bus'
import { erasureCompleted } from '@status-page/contracts'
import { saveReceipt } from './store.ts'

export const receiptReaction = eventHandler({
  consumer: 'gateway-erasure',
  on: [erasureCompleted],
  afterErasure: true,
  async handle(scope, { data }) {
    await saveReceipt(scope, data)
    return { result: null, events: [], audit: [] }
  },
})
