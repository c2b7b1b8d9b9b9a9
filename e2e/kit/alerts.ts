/** Resources around alerts: a metric query, an alert intake and an incident draft. */
import {
  alertHookOperations,
  alertIntakeOperations,
  componentOperations,
  fullPath,
  incidentDraftOperations,
  integrationOperations,
  metricQueryOperations,
} from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import type { Api } from './api.ts'

const alert = {
  status: 'firing',
  fingerprint: 'sample',
  startsAt: '2026-01-02T03:04:05.000Z',
  labels: { alertname: 'Sample' },
  annotations: {},
}

/** Reports one alert through the first integration for the first component. */
export const sendAlert = async (api: Api): Promise<void> => {
  const [integration] = (await api.call(integrationOperations.list)).data
  const [component] = (await api.call(componentOperations.list)).data
  if (integration === undefined || component === undefined)
    throw new Error('The organization has no integration or no component')
  const params = { id: integration.id }
  const query = { name: 'Latency', query: 'latency', isEnabled: false }
  await api.call(metricQueryOperations.create, { params, body: query })
  const routes = [{ matchLabels: {}, componentIds: [component.id], impact: 'minor' as const }]
  const intake = await api.call(alertIntakeOperations.replace, { params, body: { routes } })
  const path = fullPath(alertHookOperations.alerts).replace('{integrationId}', integration.id)
  const posted = await api.send('POST', path, {
    headers: { 'content-type': 'application/json', 'x-hook-token': intake.token ?? '' },
    body: JSON.stringify({ alerts: [alert] }),
  })
  if (posted.status !== alertHookOperations.alerts.status) throw new Error(posted.text)
  await eventually(async () => (await api.call(incidentDraftOperations.list)).meta.total > 0, {
    timeoutMs: 30_000,
  })
}
