/**
 * API keys over HTTP. Only the response to the creation contains the full key; once a revocation
 * has returned, no replica accepts the key.
 */
import {
  ApiKey,
  apiKeyOperations,
  listReply,
  orNotFound,
  type Permission,
  successReply,
  viewOf,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { createRoutes, type Route } from '@status-page/service'
import { type ApiKeyRow, deleteKey, insertKey, listKeys } from '../../identity/api-keys/store.ts'
import { maskedKeyOf, mintKey } from '../../identity/api-keys/token.ts'
import { publishRevocations } from '../../identity/sessions/credentials.ts'
import { type CredentialCaches, lockGrantor } from '../rights/grant-authorization.ts'
import { apiKeyAuditEntry, validateExpiry, validateGrant } from './rules.ts'

export const apiKeyRoutes = (caches: CredentialCaches): Route[] =>
  createRoutes(apiKeyOperations, {
    async list(call) {
      const { rows, total } = await call.read((scope) => listKeys(scope, call.query))
      return listReply(
        call.query,
        total,
        rows.map((row) => replyOf(row, maskedKeyOf(row.suffix))),
      )
    },

    async create(call) {
      const { name, permissions, expiresAt } = call.body
      const minted = mintKey()
      return call.change(async (scope) => {
        const grantor = await lockGrantor(scope, call.caller)
        validateGrant(grantor, permissions)
        const row = await insertKey(scope, {
          id: newId(),
          name,
          tokenHash: minted.tokenHash,
          suffix: minted.suffix,
          permissions,
          expiresAt: validateExpiry(expiresAt, scope.now),
          // A key created with another key is attributed to the creator of that key, and ends with
          // that user's rights.
          createdBy: grantor.userId,
        })
        const result = replyOf(row, minted.key)
        return { result, events: [], audit: [apiKeyAuditEntry('api_key.create', row, result)] }
      })
    },

    async remove(call) {
      const row = await call.change(async (scope) => {
        const deleted = orNotFound(await deleteKey(scope, call.params.id))
        await publishRevocations(scope, [deleted.tokenHash])
        return { result: deleted, events: [], audit: [apiKeyAuditEntry('api_key.delete', deleted)] }
      })
      caches.credentials.invalidate(row.tokenHash)
      await caches.replicas.waitForCacheExpiry()
      return successReply
    },
  })

const replyOf = (row: ApiKeyRow, key: string): ApiKey =>
  viewOf(ApiKey, { ...row, key, permissions: row.permissions as Permission[] })
