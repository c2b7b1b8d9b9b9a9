/**
 * Mails the owners of an organization when the page of a vendor has no data any more: once for the
 * page, however many components follow it.
 */
import { type EventHandler, eventHandler, uuidFromText } from '@status-page/bus'
import { type VendorStatusEventData, vendorStatusChanged } from '@status-page/contracts'
import { listComponents } from '../../audiences/store.ts'
import { hasFanOutEvent, saveFanOutEvent, wakeDeliveryWorkers } from './fan-out.ts'
import { mailOwners } from './owners.ts'

export const vendorStatusHandler: EventHandler = eventHandler({
  consumer: 'notifier-vendor-status',
  on: [vendorStatusChanged],
  requiresOrdering: { catchUp: { aggregates: true } },
  async handle(scope, event) {
    const { vendorStatus } = event.data
    if (vendorStatus.report.status !== 'no_data') return
    const [copy] = await listComponents(scope, [vendorStatus.componentId])
    if (copy?.isMuted === true) return
    const own = { ...event, aggregate: { ...event.aggregate, id: noticeIdOf(vendorStatus) } }
    if (await hasFanOutEvent(scope, own.aggregate.id)) return
    await saveFanOutEvent(scope, own)
    await mailOwners(scope, own)
    await wakeDeliveryWorkers(scope)
  },
})

/** Same id for all components of a page without data; a missing component is its own problem. */
const noticeIdOf = ({ upstream, report }: VendorStatusEventData): string => {
  const { error, reportedAt, url } = report
  const component = error === 'component_not_found' ? upstream.component : null
  return uuidFromText(JSON.stringify([url, component, reportedAt]))
}
