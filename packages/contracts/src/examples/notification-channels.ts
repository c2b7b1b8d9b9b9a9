/** Examples of notification channels and of provider webhooks. */
import {
  type Channel,
  type ChannelPreview,
  channelHookOperations,
  notificationChannelOperations,
  REDACTED,
} from '../index.ts'
import { examplesOf } from './example.ts'
import {
  exampleIds,
  exampleTimes,
  exampleTimestamps,
  listReplyOf,
  successExample,
} from './values.ts'

const channel: Channel = {
  id: exampleIds.channel,
  name: 'Ops chat',
  type: 'slack',
  config: { webhookUrl: REDACTED, channel: '#ops' },
  events: ['incident.created', 'incident.resolved'],
  componentIds: [],
  impacts: ['critical'],
  isEnabled: true,
  managedByConfig: false,
  messageTemplate: null,
  status: 'active',
  lastDeliveryAt: exampleTimes.announced,
  lastDeliveryStatus: 'delivered',
  ...exampleTimestamps,
}

const preview: ChannelPreview = {
  contentType: 'application/json; charset=utf-8',
  subject: null,
  body: '{"text":"API errors is investigating"}',
  html: null,
  warnings: ['incident.owner'],
}

const hook = 'https://hooks.example.com/services/T0/B0/secret'

export const channelExamples = [
  ...examplesOf(notificationChannelOperations, {
    list: { reply: listReplyOf(channel) },
    create: {
      bodies: {
        'Chat for critical incidents': {
          name: 'Ops chat',
          type: 'slack',
          config: { webhookUrl: hook, channel: '#ops' },
          events: ['incident.created', 'incident.resolved'],
          impacts: ['critical'],
        },
        'Own mail server': {
          name: 'Mail',
          type: 'email',
          config: {
            smtpHost: 'smtp.example.com',
            smtpPort: 587,
            secure: false,
            recipients: [],
            username: 'status',
            password: 'a-secret',
            fromAddress: 'status@example.com',
          },
        },
        'Webhook with a custom body': {
          name: 'Ticket system',
          type: 'webhook',
          config: {
            url: 'https://tickets.example.com/new',
            method: 'POST',
            headers: { Authorization: 'Bearer a-secret' },
            bodyTemplate: '{"title":"{{incident.title}}","state":"{{incident.status}}"}',
          },
        },
      },
      reply: { ...channel, warnings: [] },
    },
    preview: {
      body: {
        type: 'webhook',
        bodyTemplate: '{"text":"{{title}} is {{status}}{{incident.owner}}"}',
      },
      reply: preview,
    },
    read: { reply: channel },
    update: {
      body: { config: { channel: '#incidents' }, impacts: [] },
      reply: {
        ...channel,
        config: { webhookUrl: REDACTED, channel: '#incidents' },
        impacts: [],
        warnings: [],
      },
    },
    remove: successExample,
    test: {
      body: {},
      reply: {
        success: false,
        deliveryId: exampleIds.delivery,
        statusCode: 404,
        responseTime: 120,
        error: 'rejected',
        message: 'no_service',
      },
    },
  }),
  ...examplesOf(channelHookOperations, {
    sms: { reply: '<Response/>' },
    smsStatus: { reply: '<Response/>' },
    bounce: successExample,
  }),
]
