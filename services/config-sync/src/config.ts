/** Settings of config-sync: the common ones, the registration mode and the polling interval. */
import { type Static, Type } from '@sinclair/typebox'
import { defineConfig } from '@status-page/service'

export const config = defineConfig({
  REGISTRATION: Type.Unsafe<'open' | 'closed'>({
    type: 'string',
    enum: ['open', 'closed'],
    default: 'open',
    description: 'While it is open, an operator variable counts only with the organization’s id',
  }),
  GIT_POLL_MINUTES: Type.Integer({
    minimum: 1,
    maximum: 1440,
    default: 15,
    description: 'How often Git sync looks at a repository unasked',
  }),
})
export type ConfigSyncConfig = Static<typeof config>
