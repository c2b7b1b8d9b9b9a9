/** Internal operations on audiences, called by core. */
import { audienceOperations } from '@status-page/contracts'
import { createRoutes, type Route } from '@status-page/service'
import { organizationLimits } from '../audiences/store.ts'
import { effectiveLimits, type NotifyLimits } from '../deliveries/limits/rate.ts'
import { previewAudience } from './preview.ts'

interface AudienceDeps {
  limits: NotifyLimits
  /** Factor applied to every limit that an organization sets. */
  multiplier: number
}

export const audienceRoutes = ({ limits, multiplier }: AudienceDeps): Route[] =>
  createRoutes(audienceOperations, {
    preview: ({ body, read }) =>
      read(async (scope) => {
        const own = effectiveLimits(limits, await organizationLimits(scope), multiplier)
        return previewAudience(scope, body.incident, own)
      }),
  })
