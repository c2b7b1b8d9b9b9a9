/** The monitor's settings. */
import { Type } from '@sinclair/typebox'
import { defineConfig } from '@status-page/service'

export const config = defineConfig({
  CHECK_RETENTION_DAYS: Type.Integer({
    minimum: 2,
    maximum: 30,
    default: 30,
    description: 'Days for which single checks are kept',
  }),
  MONITOR_LOCATION: Type.String({
    pattern: '^[a-z0-9-]{1,32}$',
    default: 'default',
    description: 'Where this replica checks from; replicas of one location share its targets',
  }),
})
