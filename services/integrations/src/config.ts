/** Settings of integrations. */
import { Type } from '@sinclair/typebox'
import { defineConfig } from '@status-page/service'

export const config = defineConfig({
  CHECK_RETENTION_DAYS: Type.Integer({
    minimum: 2,
    maximum: 30,
    default: 30,
    description: 'Retention of single values in days',
  }),
})
