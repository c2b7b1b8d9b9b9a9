/**
 * Validates an apply before any change: the plan, its permissions, and dry runs at the owners.
 */
import {
  type Actor,
  AppError,
  type BatchMode,
  type ConfigSource,
  type Grants,
  grantsMeet,
  type Issue,
  issuesOfError,
  missingPermission,
  type Permission,
  requirementOf,
} from '@status-page/contracts'
import { type Database, newId, read } from '@status-page/postgres'
import type { Passwords, Sealer } from '@status-page/secrets'
import { type Client, type Logger, runCooperatively } from '@status-page/service'
import type { OperatorVariables } from '../variables/operator.ts'
import { resolveVariables } from '../variables/resolve.ts'
import { toBatches, toDocumentIssue } from './batches.ts'
import { channelSizeIssues } from './channel-batches.ts'
import { sections } from './definitions/sections.ts'
import type { DesiredDocument } from './document/document.ts'
import type { GetParser } from './document/parser.ts'
import {
  formatWarnings,
  readDocument,
  validationErrorOf,
  variableNamesIn,
} from './document/read-document.ts'
import type { ApplyBatches } from './journal.ts'
import { loadLiveConfiguration } from './plan/live.ts'
import { planChanges } from './plan/plan.ts'
import type { ConfigurationPlan } from './plan/planning.ts'
import { hashSecrets } from './secret-hashes.ts'
import { internalCallOptions, sendBatch } from './send-batch.ts'
import { lastVersion } from './store.ts'

export interface ConfigurationDeps {
  database: Database
  core: Client
  integrations: Client
  notifier: Client
  sealer: Sealer
  passwords: Passwords
  parserOf: GetParser
  operatorVariables: OperatorVariables
  logger: Logger
}

/** Actor of a request and the grants that apply to it. */
export interface Principal {
  organizationId: string
  actor: Actor
  grants: Grants
}

export interface ApplyRequest extends Principal {
  text: string
  source: { kind: ConfigSource; commit: string | null; versionId: string | null }
  isDryRun: boolean
  isPruning: boolean
  /** Throws when the live state may not be changed; runs after the plan has read its versions. */
  validateLiveState?(): Promise<void>
}

export interface PreparedApply {
  document: DesiredDocument
  /** Warnings about references that are plain text. */
  warnings: string[]
  plan: ConfigurationPlan
  batches: ApplyBatches
}

export const prepareApply = async (
  deps: ConfigurationDeps,
  request: ApplyRequest,
  document: DesiredDocument,
): Promise<PreparedApply> => {
  const parser = deps.parserOf(request.organizationId)
  const plan = await createPlan(deps, request, { document, isPruning: request.isPruning })
  requirePermissions(plan, request.grants)
  const [first, ...others] = [...plan.issues, ...plan.unknown]
  if (first !== undefined) throw await validationErrorOf(parser, request.text, [first, ...others])
  const secretHashes = request.isDryRun
    ? new Map<string, string>()
    : await hashSecrets(deps.passwords, plan)
  const batches = await runCooperatively(
    toBatches(plan, { ...request, sealer: deps.sealer, newId, secretHashes }),
  )
  const [problem, ...problems] = await loadBatchIssues(deps, request, {
    plan,
    batches,
    mode: 'dry-run',
  })
  if (problem !== undefined) {
    throw await validationErrorOf(parser, request.text, [problem, ...problems])
  }
  const warnings = await formatWarnings(parser, request.text, document.textReferences)
  return { document, plan, batches, warnings }
}

export const createPlan = async (
  deps: ConfigurationDeps,
  principal: Principal,
  { document, isPruning }: { document: DesiredDocument; isPruning: boolean },
): Promise<ConfigurationPlan> => {
  const included = sections.filter(({ key }) => isPruning || document.sectionKeys.has(key))
  const live = await loadLiveConfiguration(deps, internalCallOptions(principal), included)
  const { variables, lastApplied } = await read(
    deps.database,
    principal.organizationId,
    async (scope) => ({
      variables: await resolveVariables(scope, variableNamesIn(document), deps),
      lastApplied: isPruning ? await lastVersion(scope) : null,
    }),
  )
  const formerGroups =
    lastApplied === null
      ? new Set<string>()
      : groupNamesIn(
          await readDocument(deps.parserOf(principal.organizationId), lastApplied.document),
        )
  return runCooperatively(
    planChanges({ document, live, variables, isPruning, formerGroups, newId }),
  )
}

export const groupNamesIn = ({ components }: DesiredDocument): Set<string> =>
  new Set(components.filter((one) => one.isGroup).map(({ name }) => name))

/** Requires the permission of every operation in the plan; `config:write` grants none of them. */
const requirePermissions = (plan: ConfigurationPlan, grants: Grants): void => {
  const parts: {
    permission: Permission
    create: unknown[]
    update: unknown[]
    remove: unknown[]
  }[] = [
    { permission: 'components:write', ...plan.components },
    { permission: 'integrations:write', ...plan.integrations },
    ...[...plan.definitions.values()].map((changes) => ({
      permission: changes.section.permission,
      ...changes,
    })),
  ]
  for (const { permission, create, update, remove } of parts) {
    const methods = { POST: create, PATCH: update, DELETE: remove }
    for (const [method, changes] of Object.entries(methods)) {
      const needed = requirementOf(permission, method)
      if (changes.length > 0 && !grantsMeet(grants, needed)) throw missingPermission(needed)
    }
  }
}

/** Issues that the owners find in their batches, mapped to fields of the document. */
export const loadBatchIssues = async (
  owners: Pick<ConfigurationDeps, 'core' | 'integrations' | 'notifier'>,
  principal: Principal,
  { plan, batches, mode }: { plan: ConfigurationPlan; batches: ApplyBatches; mode: BatchMode },
): Promise<Issue[]> => {
  const options = internalCallOptions(principal)
  const issues = channelSizeIssues(batches)
  if (issues.length > 0) return issues
  for (const name of ['integrations', 'channels', 'components'] as const) {
    const trial = { ...batches, [name]: batches[name] && { ...batches[name], mode } }
    const found = await issuesOf(sendBatch[name](owners, options, trial))
    issues.push(...found.map((issue) => toDocumentIssue(issue, plan, name)))
  }
  return issues
}

const issuesOf = async (response: Promise<unknown>): Promise<Issue[]> => {
  try {
    await response
    return []
  } catch (error) {
    return issuesOfError(error)
  }
}

/** Error about the document for issues that an owner finds only while it applies its batch. */
export const toDocumentError = async (
  deps: ConfigurationDeps,
  { organizationId, text }: ApplyRequest,
  { plan, error, batch }: { plan: ConfigurationPlan; error: unknown; batch: keyof ApplyBatches },
): Promise<unknown> => {
  const isOfDocument = batch === 'components' || batch === 'integrations' || batch === 'channels'
  if (!isOfDocument || !(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') {
    return error
  }
  const [first, ...others] = issuesOfError(error).map((one) => toDocumentIssue(one, plan, batch))
  if (first === undefined) return error
  return validationErrorOf(deps.parserOf(organizationId), text, [first, ...others])
}
