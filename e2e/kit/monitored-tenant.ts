/** Tenant of a test under load: a component, a page, a webhook and checked endpoints. */
import {
  componentOperations,
  statusPageOperations,
  subscriberOperations,
} from '@status-page/contracts'
import { type HttpTarget, httpTarget } from '@status-page/testing'
import type { Test } from 'tap'
import type { Api } from './api.ts'
import { type WebhookReceiver, webhookReceiver } from './receivers.ts'
import { register, SECRET, type Tenant } from './tenant.ts'

export interface MonitoredTenant {
  tenant: Tenant
  /** Component without a check. */
  component: { id: string }
  hook: WebhookReceiver
  /** Server of all endpoints. */
  endpoint: HttpTarget
}

export const createMonitoredTenant = async (
  t: Test,
  api: Api,
  options: { slug: string; endpoints: number; checkInterval: number },
): Promise<MonitoredTenant> => {
  const { slug, endpoints, checkInterval } = options
  const tenant = await register(api, slug)
  const hook = await webhookReceiver(t)
  const endpoint = await httpTarget(t)
  const component = await tenant.api.call(componentOperations.create, {
    body: { type: 'SERVICE', name: 'Checkout' },
  })
  await tenant.api.call(subscriberOperations.create, {
    body: { type: 'webhook', webhookUrl: hook.url, webhookSecret: SECRET },
  })
  await tenant.api.call(statusPageOperations.create, {
    body: { name: slug, slug, isPublished: true },
  })
  for (let index = 0; index < endpoints; index++) {
    const url = `${endpoint.url}/${index}`
    await tenant.api.call(componentOperations.create, {
      body: { type: 'ENDPOINT', name: `Endpoint ${index}`, url, checkInterval },
    })
  }
  return { tenant, component, hook, endpoint }
}
