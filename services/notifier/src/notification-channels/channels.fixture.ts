/** The notifier's operations over the stage's database, and request bodies for channels. */
import { catchUpOrganization } from '@status-page/bus'
import {
  channelHookOperations,
  deliveryOperations,
  notificationChannelOperations,
} from '@status-page/contracts'
import { createRoutes, serve } from '@status-page/service'
import { inject, testCaller, testKeys } from '@status-page/testing'
import type { Test } from 'tap'
import { audienceHandler } from '../audiences/handlers.ts'
import { deliveryRoutes } from '../deliveries/routes.ts'
import { baseUrl, generous, policy, seals, stage } from '../deliveries/stage.fixture.ts'
import { hookRoutes } from '../inbound-hooks/routes.ts'
import { channelBatchRoutes } from './batches/routes.ts'
import { channelRoutes } from './routes.ts'

export const channelStage = async (t: Test, ...options: StageOptions) => {
  const staged = await stage(t, ...options)
  const { notifier: database, senders, logger, organizationId } = staged
  const keys = testKeys()
  const app = serve({
    service: 'notifier',
    database,
    verifier: keys.verifier('notifier'),
    routes: [
      ...channelRoutes({
        sealer: seals,
        policy,
        senders,
        baseUrl,
        isUpToDate: catchUpOrganization({
          database,
          handler: audienceHandler,
          type: 'component',
          logger,
        }),
      }),
      ...channelBatchRoutes({ sealer: seals, policy }),
      ...hookRoutes({ database, sealer: seals, baseUrl }),
      ...createRoutes(deliveryOperations, deliveryRoutes(generous)),
    ],
  })
  t.teardown(() => app.close())
  const caller = testCaller({ organizationId, role: 'ADMIN' })
  const operations = notificationChannelOperations
  return {
    ...staged,
    app,
    caller,
    create: (body: unknown) => inject(app, operations.create, { caller, body }),
    read: (id: string) => inject(app, operations.read, { caller, params: { id } }),
    update: (id: string, body: unknown) =>
      inject(app, operations.update, { caller, params: { id }, body }),
    remove: (id: string) => inject(app, operations.remove, { caller, params: { id } }),
    list: (query: Record<string, unknown> = {}) => inject(app, operations.list, { caller, query }),
    test: (id: string, body?: unknown) =>
      inject(app, operations.test, { caller, params: { id }, body }),
    log: (query: Record<string, unknown>) =>
      inject(app, deliveryOperations.list, { caller, query }),
    preview: (body: unknown) => inject(app, operations.preview, { caller, body }),
    hook: (
      name: keyof typeof channelHookOperations,
      channelId: string,
      body: string,
      headers: Record<string, string>,
    ) =>
      inject(app, channelHookOperations[name], {
        params: { channelId },
        body,
        headers: { 'content-type': 'application/json', ...headers },
      }),
  }
}

type StageOptions = Parameters<typeof stage> extends [unknown, ...infer Rest] ? Rest : never

export const slack = (webhookUrl: string, change: object = {}) => ({
  name: 'Ops chat',
  type: 'slack',
  config: { webhookUrl },
  ...change,
})
