/** Actor and caller of a sync. */
import { type Actor, documentPermissions } from '@status-page/contracts'
import type { Caller } from '@status-page/service'

/** Actor of a sync; its grants are those that saving the settings requires. */
export const syncActor: Actor = Object.freeze({
  type: 'config_sync',
  userId: null,
  apiKeyId: null,
  ipAddress: null,
  userAgent: null,
  requestId: null,
})

const grants = Object.freeze({
  kind: 'key',
  permissions: ['config:write', ...documentPermissions],
} as const)

export const syncCaller = (organizationId: string): Caller => ({
  organizationId,
  actor: { type: 'config_sync', userId: null, apiKeyId: null },
  grants,
})
