/** Operations that config-sync calls: listing all definitions, and batches of changes. */
import {
  type BatchMode,
  channelBatchOperations,
  type Issue,
  invalid,
  MAX_CHANNEL_DEFINITIONS_PER_REPLY,
  type ResourceDefinition,
} from '@status-page/contracts'
import { type OutboundPolicy, validateAddresses } from '@status-page/outbound'
import type { Sealer } from '@status-page/secrets'
import { createRoutes, type Route } from '@status-page/service'
import type { ChannelRow } from '../../tables.ts'
import { listChannelsAfterId } from '../store.ts'
import { findTargetIssue } from '../targets.ts'
import { applyChannelBatch, etagOf, type ValidatedChannelBatch, validateBatch } from './changes.ts'

interface ChannelBatchDeps {
  sealer: Sealer
  policy: OutboundPolicy
}

export const channelBatchRoutes = ({ sealer, policy }: ChannelBatchDeps): Route[] =>
  createRoutes(channelBatchOperations, {
    definitions: async ({ query, read }) => {
      const limit = MAX_CHANNEL_DEFINITIONS_PER_REPLY
      const rows = await read((scope) => listChannelsAfterId(scope, query.after ?? null, limit))
      return {
        data: rows.map(definitionOf),
        next: rows.length < limit ? null : (rows.at(-1)?.id ?? null),
      }
    },

    apply: async ({ body: batch, read, change }) => {
      if (batch.mode === 'apply') return change((scope) => applyChannelBatch(scope, batch, sealer))
      const validated = await read((scope) => validateBatch(scope, batch, sealer))
      await validateTargets(validated, policy, batch.mode)
      return { isRepeat: false }
    },
  })

/** Checks addresses once before any change; every message checks its address again. */
const validateTargets = async (
  { created, updated }: ValidatedChannelBatch,
  policy: OutboundPolicy,
  mode: BatchMode,
): Promise<void> => {
  const issues: Issue[] = []
  await validateAddresses([...created, ...updated], async ({ path, row }, mayResolve) => {
    const resolves = mode === 'dry-run' && mayResolve
    const issue = await findTargetIssue(policy, row, { resolves })
    if (issue !== null) issues.push({ ...issue, field: `${path}.${issue.field}` })
  })
  const [first, ...others] = issues.toSorted((one, other) => (one.field < other.field ? -1 : 1))
  if (first !== undefined) throw invalid(first, ...others)
}

const definitionOf = (row: ChannelRow): ResourceDefinition => {
  const { id, managedByConfig, name, type, config } = row
  const { events, componentIds, impacts, isEnabled, messageTemplate } = row
  const choices = { events, componentIds, impacts, isEnabled, messageTemplate }
  return { id, etag: etagOf(row), managedByConfig, fields: { name, type, config, ...choices } }
}
