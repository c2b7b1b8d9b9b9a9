/** Mails the owners of an organization when the page of a vendor has no data any more. */
import { type EventHandler, eventHandler } from '@status-page/bus'
import { vendorStatusChanged } from '@status-page/contracts'
import { listComponents } from '../../audiences/store.ts'
import { saveFanOutEvent, wakeDeliveryWorkers } from './fan-out.ts'
import { mailOwners, standalone } from './owners.ts'

export const vendorStatusHandler: EventHandler = eventHandler({
  consumer: 'notifier-vendor-status',
  on: [vendorStatusChanged],
  requiresOrdering: { catchUp: { aggregates: true } },
  async handle(scope, event) {
    const { componentId, report } = event.data.vendorStatus
    if (report.status !== 'no_data') return
    const [copy] = await listComponents(scope, [componentId])
    if (copy?.isMuted === true) return
    const own = standalone(event)
    await saveFanOutEvent(scope, own)
    await mailOwners(scope, own)
    await wakeDeliveryWorkers(scope)
  },
})
