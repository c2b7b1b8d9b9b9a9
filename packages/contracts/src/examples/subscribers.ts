/** Examples of subscribers and of their own subscriptions. */
import {
  type Subscriber,
  type Subscription,
  subscriberErasureOperations,
  subscriberOperations,
  subscriptionOperations,
} from '../index.ts'
import { examplesOf } from './example.ts'
import {
  exampleIds,
  exampleTimes,
  exampleTimestamps,
  listReplyOf,
  successExample,
} from './values.ts'

const subscriber: Subscriber = {
  id: exampleIds.subscriber,
  type: 'email',
  email: 'reader@example.com',
  phone: null,
  webhookUrl: null,
  hasWebhookSecret: false,
  componentIds: [],
  statusPageId: null,
  incidentId: null,
  events: ['incident.created', 'incident.resolved'],
  status: 'active',
  statusReason: null,
  source: 'api',
  confirmedAt: null,
  unsubscribedAt: null,
  lastNotifiedAt: exampleTimes.announced,
  ...exampleTimestamps,
}

const subscribers = examplesOf(subscriberOperations, {
  list: { reply: listReplyOf(subscriber) },
  create: {
    bodies: {
      'E-mail': {
        type: 'email',
        email: 'reader@example.com',
        events: ['incident.created', 'incident.resolved'],
      },
      'Signed webhook': {
        type: 'webhook',
        webhookUrl: 'https://hooks.example.com/status',
        webhookSecret: 'a-secret-of-16-chars',
      },
      'SMS about one component': {
        type: 'sms',
        phone: '+14155550123',
        componentIds: [exampleIds.component],
      },
    },
    reply: { ...subscriber, lastNotifiedAt: null },
  },
  read: { reply: subscriber },
  update: {
    bodies: {
      'New selection': { componentIds: [exampleIds.component], events: ['incident.created'] },
      'New secret; the previous one also signs for 24 hours': {
        webhookSecret: 'another-secret-of-24-chars',
      },
      'Reactivation after quarantine': { status: 'active' },
    },
    reply: { ...subscriber, componentIds: [exampleIds.component], updatedAt: exampleTimes.later },
  },
  remove: successExample,
  import: {
    reply: {
      total: 3,
      imported: 1,
      updated: 0,
      skipped: 1,
      failed: 1,
      dryRun: false,
      errors: [{ row: 4, field: 'phone', message: 'must be a phone number in E.164 form' }],
    },
  },
})

const oneClick = { 'List-Unsubscribe': 'One-Click' }
const token = 'Zl9nB0Qd6m1r3vT8yX2cK5pW7sE4aH0jU6iO9gL1fNk'
const page = { reply: '<!doctype html>…' }

const subscription: Subscription = {
  type: 'email',
  destination: 'r***@example.com',
  status: 'active',
  componentIds: [exampleIds.component],
  events: ['incident.created', 'incident.resolved'],
  incidentId: null,
  components: [{ id: exampleIds.component, name: 'Checkout' }],
}

const subscriptions = examplesOf(subscriptionOperations, {
  subscribe: {
    bodies: {
      'E-mail': { type: 'email', email: 'reader@example.com' },
      'SMS about one component': {
        type: 'sms',
        phone: '+14155550123',
        componentIds: [exampleIds.component],
      },
      'Updates of one incident': {
        type: 'email',
        email: 'reader@example.com',
        incidentId: exampleIds.incident,
      },
      'Signed webhook': {
        type: 'webhook',
        webhookUrl: 'https://hooks.example.com/status',
        webhookSecret: 'a-secret-of-16-chars',
      },
    },
    reply: { status: 'unconfirmed' },
  },
  confirm: {
    bodies: {
      'Token of the link or webhook': { token },
      'Code of the SMS': { phone: '+14155550123', code: '493021' },
    },
    reply: { status: 'active', manageToken: token },
  },
  read: { reply: subscription },
  update: {
    body: { componentIds: [], events: ['incident.created'] },
    reply: { ...subscription, componentIds: [], events: ['incident.created'] },
  },
  unsubscribe: { body: oneClick, ...successExample },
  confirmPage: page,
  confirmForm: page,
  managePage: page,
  manageForm: { body: { scope: 'all' }, ...page },
  unsubscribeForm: page,
  unsubscribePage: { body: oneClick, ...page },
})

const erasure = examplesOf(subscriberErasureOperations, {
  erase: { body: { email: 'reader@example.com' }, reply: { success: true, subscribers: 2 } },
})

export const subscriberExamples = [subscribers, erasure, subscriptions].flat()
