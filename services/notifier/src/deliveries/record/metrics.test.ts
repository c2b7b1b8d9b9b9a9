/** Metrics of deliveries: pending by reason, finished by outcome, deferred and delivered. */
import { createMetrics } from '@status-page/service'
import { httpTarget } from '@status-page/testing'
import t from 'tap'
import { created, hook, incident, opened, stage } from '../stage.fixture.ts'
import { deliveryMetrics } from './metrics.ts'

t.test('open deliveries are counted by reason, finished ones for an hour', async (t) => {
  const { notifier, publish, deliver, admin } = await stage(t)
  const target = await httpTarget(t)
  await publish(created(hook(target)), created(hook(target)), opened(incident()))
  await deliver()
  await publish(opened(incident()))
  await deliver()
  await admin`UPDATE notifier.deliveries SET state = 'pending', reason = 'rate_limit', finished_at = NULL,
    next_attempt_at = now() - interval '1 hour'
    WHERE id = (SELECT id FROM notifier.deliveries LIMIT 1)`
  const metrics = createMetrics()
  const { meter, metricsJob } = deliveryMetrics(metrics, notifier)
  await metricsJob.run(new AbortController().signal)
  meter.delivered('webhook', 3)
  meter.deferred('rate_limit')
  meter.channelFailed('channel_auth')
  const text = await metrics.registry.metrics()
  for (const line of [
    'notification_deliveries{state="delivered",reason=""} 3',
    'notification_deliveries{state="pending",reason="rate_limit"} 1',
    'notification_destinations{state="active"} 2',
    'notification_deferrals_total{reason="rate_limit"} 1',
    'notification_channel_failures_total{reason="channel_auth"} 1',
    'notification_delivery_duration_seconds_count{channel="webhook"} 1',
  ]) {
    t.ok(text.includes(line), line)
  }
  t.match(text, /^notification_due_age_seconds 360\d(\.\d+)?$/m)
})

t.test('the age of due deliveries is 0 when all deliveries wait for a later time', async (t) => {
  const { notifier, publish, deliver, admin } = await stage(t)
  await publish(created(hook(await httpTarget(t))), opened(incident()))
  await deliver()
  await admin`UPDATE notifier.deliveries SET state = 'pending', reason = NULL, finished_at = NULL,
    next_attempt_at = now() + interval '1 hour'`
  const metrics = createMetrics()
  await deliveryMetrics(metrics, notifier).metricsJob.run(new AbortController().signal)
  const text = await metrics.registry.metrics()
  t.match(text, /^notification_due_age_seconds 0$/m)
  t.match(text, /^notification_deliveries\{state="pending",reason=""\} 1$/m)
})
