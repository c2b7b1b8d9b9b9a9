/** A notifier on a real database, outboxes to publish through, and receivers. */
import { catchUpAggregates, memoryBus } from '@status-page/bus'
import {
  draftEvent,
  type EventDraft,
  type IncidentEventData,
  incidentCreated,
  incidentResolved,
  incidentUpdated,
  type SubscriberEventData,
  subscriberCreated,
  subscriberUpdated,
  systemActor,
} from '@status-page/contracts'
import { createOutbound, outboundPolicy } from '@status-page/outbound'
import { newId, transact } from '@status-page/postgres'
import { createActionTokens, createSealer } from '@status-page/secrets'
import { createLogger } from '@status-page/service'
import { type HttpTarget, type SmtpReplies, smtpSink, testDatabase } from '@status-page/testing'
import postgres from 'postgres'
import type { Test } from 'tap'
import { accountHandlers } from '../accounts/handlers.ts'
import { alertHandler } from '../alerts/handlers.ts'
import { audienceHandler } from '../audiences/handlers.ts'
import { createSenders } from '../channels/senders.ts'
import { confirmationHandler } from '../confirmations/handlers.ts'
import { memberHandler } from '../members/handlers.ts'
import { suppressionJob } from '../suppressions/jobs.ts'
import { flapSummaryJob } from './fan-out/flaps.ts'
import { deliveryHandlers } from './fan-out/handlers.ts'
import { CONNECTIONS_PER_HOST, deliveryJobNames, deliveryJobs } from './jobs.ts'
import type { NotifyLimits } from './limits/rate.ts'
import { noopMeter } from './record/meter.fixture.ts'
import { summaryJob } from './record/summary.ts'

export const generous: NotifyLimits = {
  perChannel: 1000,
  perSubscriber: 1000,
  webhookPerSubscriber: 1000,
  webhookPerOrganization: 1000,
  global: 1000,
}

export const baseUrl = 'https://status.example.com'

const FIRST_UNPRIVILEGED_PORT = 1024
/** Ports of mail servers, and any port that a test server may get. */
const smtpPorts = [
  25,
  465,
  587,
  ...Array.from({ length: 65_536 - FIRST_UNPRIVILEGED_PORT }, (_none, index) => {
    return index + FIRST_UNPRIVILEGED_PORT
  }),
]

export const policy = outboundPolicy({
  allowCidrs: ['127.0.0.0/8'],
  ownHosts: [],
  smtpPorts,
})

export const seals = createSealer({ current: 'k'.repeat(32) })
export const actionTokens = createActionTokens({ current: 'k'.repeat(32) })

/**
 * Makes retries wait for `skipWait` instead of their time: the first is due after 4 s, which a busy
 * machine may take to end the run that failed. Waits for a rate limit are a minute long.
 */
const HOLD_RETRIES = `
  CREATE FUNCTION notifier.hold_retry() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN NEW.next_attempt_at := NEW.next_attempt_at + interval '1 hour'; RETURN NEW; END $$;
  CREATE TRIGGER hold_retry BEFORE UPDATE ON notifier.deliveries FOR EACH ROW
    WHEN (OLD.state = 'sending' AND NEW.state = 'pending'
      AND NEW.reason IS DISTINCT FROM 'rate_limit'
      AND NEW.next_attempt_at > now() + interval '1 second')
    EXECUTE FUNCTION notifier.hold_retry();
  CREATE FUNCTION notifier.hold_block() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN NEW.blocked_until := NEW.blocked_until + interval '1 hour'; RETURN NEW; END $$;
  CREATE TRIGGER hold_block BEFORE UPDATE ON notifier.destinations FOR EACH ROW
    WHEN (NEW.fail_streak > OLD.fail_streak)
    EXECUTE FUNCTION notifier.hold_block()`

/** Starts a notifier on its own database, with the outboxes of the other services. */
export const stage = async (
  t: Test,
  limits: NotifyLimits = generous,
  replies: SmtpReplies = {},
  settings: { TWILIO_BASE_URL?: string } = {},
) => {
  const databases = await testDatabase(t, { services: ['core', 'gateway', 'monitor', 'notifier'] })
  const core = await databases.database('core')
  const gateway = await databases.database('gateway')
  const monitor = await databases.database('monitor')
  const notifier = await databases.database('notifier')
  const admin = postgres(databases.adminUrl, { max: 1, onnotice: () => {} })
  await admin.unsafe(HOLD_RETRIES)
  const smtp = await smtpSink(t, { replies })
  const outbound = createOutbound({ policy, connectionsPerHost: CONNECTIONS_PER_HOST })
  t.teardown(async () => {
    await outbound.close()
    await admin.end()
  })
  const senders = createSenders({
    outbound,
    settings: {
      SMTP_URL: smtp.url.replace('//', '//user:secret@'),
      MAIL_FROM: 'status@example.com',
      BASE_URL: baseUrl,
      ...settings,
    },
    logger: { info() {}, error() {} },
    meter: noopMeter,
  })
  const bus = memoryBus(t, [
    { database: core, eventHandlers: [] },
    { database: gateway, eventHandlers: [] },
    { database: monitor, eventHandlers: [] },
    {
      database: notifier,
      eventHandlers: [
        audienceHandler,
        memberHandler,
        ...accountHandlers,
        confirmationHandler,
        alertHandler,
        ...deliveryHandlers,
      ],
    },
  ])
  const logger = createLogger({
    service: 'notifier',
    level: (process.env.LOG ?? 'silent') as 'silent',
  })
  const startReplica = () =>
    deliveryJobs({
      baseUrl,
      database: notifier,
      sealer: seals,
      actionTokens,
      limits,
      multiplier: 1,
      meter: noopMeter,
      senders,
      catchUpAggregates: catchUpAggregates({
        database: notifier,
        handler: audienceHandler,
        type: 'subscriber',
        logger,
      }),
      logger,
    })
  const work = startReplica()
  const organizationId = newId()
  const publishIn = async (organizationId: string, ...events: EventDraft[]) => {
    const isMonitors = ({ kind }: EventDraft) =>
      /^(?:monitor|certificate|vendor-status|location)\./.test(kind)
    const outcome = (published: EventDraft[]) => async () => ({
      result: undefined,
      events: published,
      audit: [],
    })
    const by = { organizationId, actor: systemActor }
    const [fromMonitor, fromCore] = [
      events.filter(isMonitors),
      events.filter((one) => !isMonitors(one)),
    ]
    if (fromCore.length > 0) await transact(core, by, outcome(fromCore))
    if (fromMonitor.length > 0) await transact(monitor, by, outcome(fromMonitor))
  }
  /** Publishes account events as the gateway, where `publish` uses core or the monitor. */
  const publishAsGateway = async (...events: EventDraft[]) => {
    await transact(gateway, { organizationId, actor: systemActor }, async () => ({
      result: undefined,
      events,
      audit: [],
    }))
  }
  const run = (name: string, jobs = work) =>
    jobs.find((one) => one.name === name)?.run(new AbortController().signal)
  /** Sends due deliveries without processing events. */
  const send = async (jobs = work) => {
    for (const name of deliveryJobNames) while ((await run(name, jobs)) !== 0);
  }
  return {
    smtp,
    outbound,
    senders,
    databases,
    logger,
    admin,
    notifier,
    organizationId,
    publish: (...events: EventDraft[]) => publishIn(organizationId, ...events),
    publishIn,
    publishAsGateway,
    drain: () => bus.drain(),
    send: () => send(),
    startReplica: () => {
      const jobs = startReplica()
      return { send: () => send(jobs) }
    },
    async deliver() {
      await bus.drain()
      await send()
    },
    wakeDue: () => run('delivery-look'),
    runUpkeep: () => run('delivery-upkeep'),
    deleteExpired: () => run('delivery-retention'),
    announceStable: () => flapSummaryJob(notifier).run(new AbortController().signal),
    notifySuppressions: () => suppressionJob(notifier).run(new AbortController().signal),
    summarise: () => summaryJob(notifier).run(new AbortController().signal),
    rows: () =>
      admin<
        { state: string; reason: string | null }[]
      >`SELECT * FROM notifier.deliveries ORDER BY ordering_seq, id`,
    /** Moves the window of the rate limits and the deferrals by a minute. */
    passMinute: async () => {
      await admin`UPDATE notifier.rate_hits SET at = at - interval '61 seconds'`
      await admin`UPDATE notifier.deliveries
        SET next_attempt_at = next_attempt_at - interval '61 seconds' WHERE state = 'pending'`
    },
    /** Ends the waits of retries and deferrals. */
    skipWait: async () => {
      await admin`UPDATE notifier.destinations SET blocked_until = NULL`
      await admin`UPDATE notifier.transports SET blocked_until = NULL`
      await admin`UPDATE notifier.deliveries SET next_attempt_at = now() WHERE state = 'pending'`
    },
  }
}

export const subscriber = (change: Partial<SubscriberEventData>): SubscriberEventData => ({
  id: newId(),
  type: 'webhook',
  email: null,
  phone: null,
  webhookUrl: null,
  webhookSecret: null,
  componentIds: [],
  events: ['incident.created', 'incident.updated', 'incident.resolved'],
  statusPageId: null,
  incidentId: null,
  status: 'active',
  manageToken: null,
  ...change,
})

/**
 * Webhook subscriber with an address of its own: several subscriptions of one address get one
 * message.
 */
export const hook = (target: HttpTarget, change: Partial<SubscriberEventData> = {}) =>
  subscriber({ webhookUrl: `${target.url}/hook/${newId()}`, ...change })

export const created = (one: SubscriberEventData) =>
  draftEvent(subscriberCreated, { id: one.id, version: 1 }, { subscriber: one })

export const changed = (one: SubscriberEventData, version: number) =>
  draftEvent(subscriberUpdated, { id: one.id, version }, { subscriber: one })

export const incident = (change: Partial<IncidentEventData> = {}): IncidentEventData => ({
  id: newId(),
  title: 'API is down',
  status: 'investigating',
  impact: 'critical',
  message: 'We are on it.',
  components: [],
  startedAt: '2026-01-02T03:04:05.000Z',
  resolvedAt: null,
  url: null,
  statusPageIds: [],
  notifySubscribers: true,
  ...change,
})

export const opened = (one: IncidentEventData, version = 1) =>
  draftEvent(incidentCreated, { id: one.id, version }, { incident: one })
export const updated = (one: IncidentEventData, version: number) =>
  draftEvent(incidentUpdated, { id: one.id, version }, { incident: one })
export const resolved = (one: IncidentEventData, version: number) =>
  draftEvent(
    incidentResolved,
    { id: one.id, version },
    { incident: { ...one, status: 'resolved', resolvedAt: '2026-01-02T04:04:05.000Z' } },
  )
