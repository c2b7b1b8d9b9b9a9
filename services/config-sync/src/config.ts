/** Settings of config-sync: those of every service, and whether strangers may register. */
import { type Static, Type } from '@sinclair/typebox'
import { defineConfig } from '@status-page/service'

export const config = defineConfig({
  REGISTRATION: Type.Unsafe<'open' | 'closed'>({
    type: 'string',
    enum: ['open', 'closed'],
    default: 'open',
    description: 'While it is open, an operator variable counts only with the organization’s id',
  }),
})
export type Config = Static<typeof config>
