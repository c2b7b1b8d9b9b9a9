/** Settings of config-sync: the common ones, the registration mode and the polling interval. */
import { type Static, Type } from '@sinclair/typebox'
import { defineConfig } from '@status-page/service'

export const config = defineConfig({
  REGISTRATION: Type.Unsafe<'open' | 'closed'>({
    type: 'string',
    enum: ['open', 'closed'],
    default: 'open',
    description: 'With open registration, operator variables of an organization require its id',
  }),
  GIT_POLL_MINUTES: Type.Integer({
    minimum: 1,
    maximum: 1440,
    default: 15,
    description: 'Polling interval of Git sync in minutes, as a fallback for missed webhooks',
  }),
})
export type ConfigSyncConfig = Static<typeof config>
