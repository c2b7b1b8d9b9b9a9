/** Addresses of the subscribers, channels and deliveries. */
import { createRoute } from '@tanstack/react-router'
import { readDeliveryFilters } from '../deliveries/filters.ts'
import { lazyView } from '../modules/lazy-view.ts'
import { readSubscriberFilters } from '../subscribers/filters.ts'
import { withTexts } from '../texts/language.ts'
import { root } from './root-route.ts'

const subscribers = createRoute({
  getParentRoute: () => root,
  path: '/subscribers',
  validateSearch: readSubscriberFilters,
  component: lazyView(
    withTexts(() => import('../subscribers/subscribers-screen.tsx'), 'subscribers'),
    'SubscribersScreen',
  ),
})

const subscriberImport = createRoute({
  getParentRoute: () => root,
  path: '/subscribers/import',
  component: lazyView(
    withTexts(() => import('../subscribers/import-screen.tsx'), 'subscribers'),
    'SubscriberImportScreen',
  ),
})

const channels = createRoute({
  getParentRoute: () => root,
  path: '/channels',
  component: lazyView(
    withTexts(() => import('../channels/channels-screen.tsx'), 'channels', 'deliveries'),
    'ChannelsScreen',
  ),
})

const newChannel = createRoute({
  getParentRoute: () => root,
  path: '/channels/new',
  component: lazyView(
    withTexts(() => import('../channels/new-channel-screen.tsx'), 'channels', 'deliveries'),
    'NewChannelScreen',
  ),
})

const channel = createRoute({
  getParentRoute: () => root,
  path: '/channels/$id',
  component: lazyView(
    withTexts(() => import('../channels/channel-screen.tsx'), 'channels', 'deliveries'),
    'ChannelScreen',
  ),
})

const deliveries = createRoute({
  getParentRoute: () => root,
  path: '/deliveries',
  validateSearch: readDeliveryFilters,
  component: lazyView(
    withTexts(() => import('../deliveries/deliveries-screen.tsx'), 'deliveries'),
    'DeliveriesScreen',
  ),
})

const delivery = createRoute({
  getParentRoute: () => root,
  path: '/deliveries/$id',
  component: lazyView(
    withTexts(() => import('../deliveries/delivery-screen.tsx'), 'deliveries'),
    'DeliveryScreen',
  ),
})

export const communicationRoutes = [
  subscribers,
  subscriberImport,
  channels,
  newChannel,
  channel,
  deliveries,
  delivery,
] as const
