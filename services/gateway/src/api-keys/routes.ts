/** API keys over HTTP. A key is whole in one answer only; a revoked one is dead when it says so. */
import {
  type ApiKey,
  apiKeyOperations,
  listReply,
  notFound,
  type Permission,
  success,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { type Route, route } from '@status-page/service'
import { announceRevoked } from '../auth/credentials.ts'
import { type Caches, lockGiver } from '../roles/giver.ts'
import { aboutKey, validateExpiry, validateGrant } from './rules.ts'
import { type ApiKeyRow, deleteKey, insertKey, listKeys } from './store.ts'
import { maskOf, mintKey } from './token.ts'

export const apiKeyRoutes = (caches: Caches): Route[] =>
  route(apiKeyOperations, {
    async list(call) {
      const { rows, total } = await call.read((scope) => listKeys(scope, call.query))
      return listReply(
        call.query,
        total,
        rows.map((row) => replyOf(row, maskOf(row.suffix))),
      )
    },

    async create(call) {
      const { name, permissions, expiresAt } = call.body
      const minted = mintKey()
      return call.change(async (scope) => {
        const giver = await lockGiver(scope, call.caller)
        validateGrant(giver, permissions)
        const row = await insertKey(scope, {
          id: newId(),
          name,
          tokenHash: minted.tokenHash,
          suffix: minted.suffix,
          permissions,
          expiresAt: validateExpiry(expiresAt, scope.now),
          // A key made by a key is the work of whoever made the first: it ends with their rights.
          createdBy: giver.userId,
        })
        const result = replyOf(row, minted.key)
        return { result, events: [], audit: [aboutKey('api_key.create', row, result)] }
      })
    },

    async remove(call) {
      const row = await call.change(async (scope) => {
        const gone = await deleteKey(scope, call.params.id)
        if (gone === null) throw notFound()
        await announceRevoked(scope, [gone.tokenHash])
        return { result: gone, events: [], audit: [aboutKey('api_key.delete', gone)] }
      })
      caches.credentials.forget(row.tokenHash)
      await caches.presence.outlastCaches()
      return success
    },
  })

const replyOf = (row: ApiKeyRow, key: string): ApiKey => ({
  id: row.id,
  name: row.name,
  key,
  permissions: row.permissions as Permission[],
  expiresAt: row.expiresAt?.toISOString() ?? null,
  lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
  createdBy: row.createdBy,
  disabledAt: row.disabledAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})
