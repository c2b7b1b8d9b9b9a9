/** Event handler that stores the erasure receipts of all services, including this one. */
import { eventHandler } from '@status-page/bus'
import { erasureCompleted } from '@status-page/contracts'
import { saveReceipt } from './store.ts'

export const erasureReceiptHandler = eventHandler({
  consumer: 'gateway-erasure',
  on: [erasureCompleted],
  afterErasure: true,
  async handle(scope, { data }) {
    await saveReceipt(scope, data)
  },
})
