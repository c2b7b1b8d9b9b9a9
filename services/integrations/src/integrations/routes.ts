/** Operations of integrations. */
import {
  type AnyIntegrationConfig,
  conflict,
  type Integration,
  type IntegrationPatch,
  type IntegrationTest,
  integrationOperations,
  invalid,
  listReply,
  orNotFound,
  successReply,
  type TransactionOutcome,
} from '@status-page/contracts'
import { type OutboundPolicy, resolveUrl } from '@status-page/outbound'
import { newId, type Scope } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import { type Call, createRoutes, type Route } from '@status-page/service'
import type { MetricsClient } from '../platforms/metrics-client.ts'
import { testMessageOf } from '../platforms/platform.ts'
import type { IntegrationRow } from '../tables.ts'
import { completeConfig, inContractOrder, mergeConfig } from './config.ts'
import {
  changeIntegration,
  createIntegration,
  integrationAuditEntry,
  integrationEvent,
  integrationReplyOf,
} from './rules.ts'
import { decryptConfig, decryptIntegration, encryptConfig } from './secrets.ts'
import * as store from './store.ts'

export interface IntegrationDeps {
  sealer: Sealer
  policy: OutboundPolicy
  metricsClient: MetricsClient
  /** Catches the component projection up; false when that fails. */
  areComponentsUpToDate(organizationId: string): Promise<boolean>
}

export const integrationRoutes = (deps: IntegrationDeps): Route[] =>
  createRoutes(integrationOperations, {
    list: async ({ query, read }) => {
      const { rows, total } = await read((scope) => store.listIntegrations(scope, query))
      return listReply(query, total, rows.map(integrationReplyOf))
    },

    create: async ({ body, organizationId, actor, change }) => {
      const config = completeConfig(body.type, body.config)
      await validateTarget(deps.policy, config)
      const managedByConfig = actor.type === 'config_sync'
      return change(async (scope) => {
        const making = { id: newId(), organizationId, config, managedByConfig, now: scope.now }
        const row = createIntegration(body, making)
        await store.insertIntegration(scope, sealed(deps, row))
        const audit = [integrationAuditEntry('create', null, row)]
        return {
          result: integrationReplyOf(row),
          events: [integrationEvent('created', row)],
          audit,
        }
      })
    },

    read: ({ params, read }) =>
      read(async (scope) => integrationReplyOf(await findOne(scope, params.id))),

    update: async ({ params, body, read, change }) => {
      const { config } = body
      if (config !== undefined) {
        const row = await read(async (scope) => opened(deps, await findOne(scope, params.id)))
        await validateTarget(deps.policy, mergeConfig(row, config))
      }
      return change((scope) => amend(deps, scope, params.id, body))
    },

    remove: async ({ params, organizationId, change }) => {
      await deps.areComponentsUpToDate(organizationId)
      return change(async (scope) => {
        const row = orNotFound(await store.lockIntegration(scope, params.id))
        if (await store.isIntegrationInUse(scope, row.id)) {
          throw conflict('in_use', 'METRIC components use this integration')
        }
        await store.removeIntegration(scope, row.id)
        const audit = [integrationAuditEntry('delete', row, null)]
        return { result: successReply, events: [integrationEvent('deleted', row)], audit }
      })
    },

    test: (call) => testConnection(deps, call),
  })

const amend = async (
  deps: IntegrationDeps,
  scope: Scope,
  id: string,
  { config: given, ...choices }: IntegrationPatch,
): Promise<TransactionOutcome<Integration>> => {
  const stored = orNotFound(await store.lockIntegration(scope, id))
  const before = opened(deps, stored)
  const config = given === undefined ? before.config : mergeConfig(before, given)
  const after = changeIntegration(before, choices, { config, now: scope.now })
  if (after === null) return { result: integrationReplyOf(before) }
  await store.saveIntegration(scope, sealed(deps, after))
  const audit = [integrationAuditEntry('update', before, after)]
  return { result: integrationReplyOf(after), events: [integrationEvent('updated', after)], audit }
}

type TestCall = Pick<Call, 'read' | 'change'> & { params: { id: string } }

/**
 * Tests the connection after the transaction has ended, so that none is open during the request.
 */
const testConnection = async (
  { sealer, metricsClient }: IntegrationDeps,
  { params: { id }, read, change }: TestCall,
): Promise<IntegrationTest> => {
  const row = await read((scope) => findOne(scope, id))
  const { fault, durationMs } = await metricsClient.test(decryptIntegration(sealer, row))
  const message = testMessageOf(fault)
  await change(async (scope) => {
    await store.saveTest(scope, id, fault === null)
    return { result: undefined }
  })
  return { success: fault === null, latencyMs: durationMs, message }
}

const findOne = async (scope: Scope, id: string): Promise<IntegrationRow> =>
  orNotFound(await store.findIntegration(scope, id))

const sealed = ({ sealer }: IntegrationDeps, row: IntegrationRow): IntegrationRow => ({
  ...row,
  config: encryptConfig(sealer, row, row.config),
})

const opened = ({ sealer }: IntegrationDeps, row: IntegrationRow): IntegrationRow => ({
  ...row,
  config: inContractOrder(row.type, decryptConfig(sealer, row)),
})

/** Validates a URL; sites and regions are values of a list. */
const validateTarget = async (
  policy: OutboundPolicy,
  { url }: AnyIntegrationConfig,
): Promise<void> => {
  if (url == null) return
  const field = 'config.url'
  const verdict = await resolveUrl(url, policy, { schemes: ['https'] })
  if (!verdict.ok) throw invalid({ field, message: `${field} ${verdict.message}` })
}
