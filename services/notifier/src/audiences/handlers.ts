/** Maintains the copies of subscribers, components, pages and organizations. */
import { type EventHandler, eventHandler } from '@status-page/bus'
import {
  componentCreated,
  componentDeleted,
  componentUpdated,
  organizationCreated,
  organizationUpdated,
  statusPageCreated,
  statusPageDeleted,
  statusPageUpdated,
  subscriberCreated,
  subscriberDeleted,
  subscriberImported,
  subscriberUpdated,
} from '@status-page/contracts'
import { savePage } from './pages.ts'
import {
  cancelDeliveriesToDestination,
  deleteDestination,
  saveComponent,
  saveOrganization,
} from './store.ts'
import { saveSubscribers } from './subscriber.ts'

export const audienceHandler: EventHandler = eventHandler({
  consumer: 'notifier-audiences',
  isBatched: true,
  on: [
    organizationCreated,
    organizationUpdated,
    componentCreated,
    componentUpdated,
    componentDeleted,
    statusPageCreated,
    statusPageUpdated,
    statusPageDeleted,
    subscriberCreated,
    subscriberUpdated,
    subscriberImported,
    subscriberDeleted,
  ],
  async handle(scope, { kind, aggregate: { version }, data }) {
    if ('organization' in data) await saveOrganization(scope, data.organization, version)
    else if ('component' in data) {
      await saveComponent(scope, data.component, version, kind === 'component.deleted')
    } else if ('statusPage' in data) {
      await savePage(scope, data.statusPage, version, kind === 'status-page.deleted')
    } else if (kind === 'subscriber.deleted') {
      const id = await deleteDestination(scope, data.subscriber, version)
      if (id !== null) await cancelDeliveriesToDestination(scope, id, 'deleted')
    } else if (kind === 'subscriber.imported') await saveSubscribers(scope, data.subscribers)
    else await saveSubscribers(scope, [{ subscriber: data.subscriber, version }])
  },
})
