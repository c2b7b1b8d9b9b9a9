/** Operations that config-sync calls: listing all definitions, and batches of changes. */
import {
  type IntegrationBatch,
  type IntegrationDefinition,
  integrationBatchOperations,
  invalid,
} from '@status-page/contracts'
import { checkUrl, type OutboundPolicy, resolveUrl } from '@status-page/outbound'
import type { Sealer } from '@status-page/secrets'
import { createRoutes, type Route } from '@status-page/service'
import type { IntegrationRow } from '../../tables.ts'
import { applyIntegrationBatch, type ValidatedIntegrationBatch, validateBatch } from './changes.ts'
import { allIntegrations } from './store.ts'

export interface BatchDeps {
  sealer: Sealer
  policy: OutboundPolicy
  /** Catches the component projection up; false when that fails. */
  areComponentsUpToDate(organizationId: string): Promise<boolean>
}

export const integrationBatchRoutes = (deps: BatchDeps): Route[] =>
  createRoutes(integrationBatchOperations, {
    definitions: async ({ read }) => ({ data: (await read(allIntegrations)).map(definitionOf) }),

    apply: async ({ body: batch, organizationId, read, change }) => {
      const { sealer, policy } = deps
      if (batch.mode !== 'apply') {
        await validateTargets(
          await read((scope) => validateBatch(scope, batch, sealer)),
          policy,
          batch,
        )
        return { isRepeat: false, retained: [] }
      }
      if (batch.remove.length > 0) await deps.areComponentsUpToDate(organizationId)
      return change((scope) => applyIntegrationBatch(scope, batch, sealer))
    },
  })

const URL_OPTIONS = { schemes: ['https' as const] }

/** Checks addresses once before any change; every later query checks them again. */
const validateTargets = async (
  { created, updated }: ValidatedIntegrationBatch,
  policy: OutboundPolicy,
  { mode }: IntegrationBatch,
): Promise<void> => {
  for (const { place, row } of [...created, ...updated]) {
    const { url } = row.config
    if (url == null) continue
    const verdict =
      mode === 'dry-run'
        ? await resolveUrl(url, policy, URL_OPTIONS)
        : checkUrl(url, policy, URL_OPTIONS)
    const field = `${place}.config.url`
    if (!verdict.ok) throw invalid({ field, message: `${field} ${verdict.message}` })
  }
}

const definitionOf = (row: IntegrationRow): IntegrationDefinition => {
  const { id, version, name, type, isEnabled, managedByConfig, config } = row
  return {
    id,
    version,
    name,
    type,
    isEnabled,
    managedByConfig,
    config: config as IntegrationDefinition['config'],
  }
}
