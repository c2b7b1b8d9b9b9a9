/** Subscribers as the organization has them, and as they see themselves. */
import {
  type Subscriber,
  type Subscription,
  subscriberErasureOperations,
  subscriberOperations,
  subscriptionOperations,
} from '@status-page/contracts'
import { examplesOf } from './example.ts'
import { ids, listReplyOf, success, times, timestamps } from './values.ts'

const subscriber: Subscriber = {
  id: ids.subscriber,
  type: 'email',
  email: 'reader@example.com',
  phone: null,
  webhookUrl: null,
  hasWebhookSecret: false,
  componentIds: [],
  statusPageId: null,
  events: ['incident.created', 'incident.resolved'],
  status: 'active',
  statusReason: null,
  source: 'api',
  confirmedAt: null,
  unsubscribedAt: null,
  lastNotifiedAt: times.announced,
  ...timestamps,
}

const subscribers = examplesOf(subscriberOperations, {
  list: { reply: listReplyOf(subscriber) },
  create: {
    bodies: {
      'By e-mail': {
        type: 'email',
        email: 'reader@example.com',
        events: ['incident.created', 'incident.resolved'],
      },
      'By webhook, signed': {
        type: 'webhook',
        webhookUrl: 'https://hooks.example.com/status',
        webhookSecret: 'a-secret-of-16-chars',
      },
      'By SMS, about one component': {
        type: 'sms',
        phone: '+14155550123',
        componentIds: [ids.component],
      },
    },
    reply: { ...subscriber, lastNotifiedAt: null },
  },
  read: { reply: subscriber },
  update: {
    bodies: {
      'Choose anew': { componentIds: [ids.component], events: ['incident.created'] },
      'Change the secret; the old one signs along': { webhookSecret: 'another-secret-of-24-chars' },
      'Take it back from quarantine': { status: 'active' },
    },
    reply: { ...subscriber, componentIds: [ids.component], updatedAt: times.later },
  },
  remove: success,
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
  componentIds: [ids.component],
  events: ['incident.created', 'incident.resolved'],
  components: [{ id: ids.component, name: 'Checkout' }],
}

const subscriptions = examplesOf(subscriptionOperations, {
  subscribe: {
    bodies: {
      'By e-mail': { type: 'email', email: 'reader@example.com' },
      'By SMS, about one component': {
        type: 'sms',
        phone: '+14155550123',
        componentIds: [ids.component],
      },
      'By webhook, signed': {
        type: 'webhook',
        webhookUrl: 'https://hooks.example.com/status',
        webhookSecret: 'a-secret-of-16-chars',
      },
    },
    reply: { status: 'unconfirmed' },
  },
  confirm: {
    bodies: {
      'By the token of the link or webhook': { token },
      'By the code of the SMS': { phone: '+14155550123', code: '493021' },
    },
    reply: { status: 'active', manageToken: token },
  },
  read: { reply: subscription },
  update: {
    body: { componentIds: [], events: ['incident.created'] },
    reply: { ...subscription, componentIds: [], events: ['incident.created'] },
  },
  unsubscribe: { body: oneClick, ...success },
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
