/** Everything that can be judged before anything is changed: the plan, the rights it needs, its owners' word. */
import {
  type Actor,
  AppError,
  type BatchMode,
  type ConfigSource,
  componentBatchOperations,
  type Grants,
  holds,
  type Issue,
  integrationBatchOperations,
  missingPermission,
  type Permission,
  requirementOf,
} from '@status-page/contracts'
import { type Database, newId, read } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import {
  type Caller,
  type Client,
  type ClientRequest,
  type Logger,
  runCooperatively,
} from '@status-page/service'
import type { OperatorVariables } from '../variables/operator.ts'
import { resolveVariables } from '../variables/resolve.ts'
import { batchesOf, issueInDocument } from './batches.ts'
import type { WantedDocument } from './document.ts'
import type { Batches } from './journal.ts'
import { loadLive } from './live.ts'
import type { ParserOf } from './parser.ts'
import { planChanges } from './plan.ts'
import type { ConfigurationPlan } from './planning.ts'
import { readDocument, refusalOf, variablesIn, warningsOf } from './reading.ts'
import { lastVersion } from './store.ts'

export interface ConfigurationDeps {
  database: Database
  core: Client
  integrations: Client
  sealer: Sealer
  parserOf: ParserOf
  operatorVariables: OperatorVariables
  logger: Logger
}

/** Who asks, and what may be done in his name. */
export interface Applicant {
  organizationId: string
  actor: Actor
  grants: Grants
}

export interface ApplyRequest extends Applicant {
  text: string
  source: { kind: ConfigSource; commit: string | null; versionId: string | null }
  isDryRun: boolean
  isPruning: boolean
}

export interface PreparedApply {
  document: WantedDocument
  /** Of what is applied as it stands, but is seldom meant so. */
  warnings: string[]
  plan: ConfigurationPlan
  batches: Batches
}

export const prepare = async (
  deps: ConfigurationDeps,
  asked: ApplyRequest,
  document: WantedDocument,
): Promise<PreparedApply> => {
  const parser = deps.parserOf(asked.organizationId)
  const plan = await planFor(deps, asked, document, asked.isPruning)
  requirePermissions(plan, asked.grants)
  const [first, ...others] = [...plan.issues, ...plan.unknown]
  if (first !== undefined) throw await refusalOf(parser, asked.text, [first, ...others])
  const batches = await runCooperatively(batchesOf(plan, { ...asked, sealer: deps.sealer, newId }))
  const [problem, ...problems] = await ownersIssues(deps, asked, { plan, batches, mode: 'try' })
  if (problem !== undefined) {
    throw await refusalOf(parser, asked.text, [problem, ...problems])
  }
  const warnings = await warningsOf(parser, asked.text, document.textReferences)
  return { document, plan, batches, warnings }
}

export const planFor = async (
  deps: ConfigurationDeps,
  asker: Applicant,
  document: WantedDocument,
  isPruning: boolean,
): Promise<ConfigurationPlan> => {
  const live = await loadLive(deps, internally(asker))
  const { variables, former } = await read(deps.database, asker.organizationId, async (scope) => ({
    variables: await resolveVariables(scope, variablesIn(document), deps),
    former: isPruning ? await lastVersion(scope) : null,
  }))
  const formerGroups =
    former === null
      ? new Set<string>()
      : groupsIn(await readDocument(deps.parserOf(asker.organizationId), former.document))
  return runCooperatively(
    planChanges({ document, live, variables, isPruning, formerGroups, newId }),
  )
}

export const groupsIn = ({ components }: WantedDocument): Set<string> =>
  new Set(components.filter((one) => one.isGroup).map(({ name }) => name))

/** Owners believe config-sync: it has judged the rights itself, operation by operation. */
export const internally = ({
  organizationId,
  actor,
}: Pick<Applicant, 'organizationId' | 'actor'>) => {
  const { type, userId, apiKeyId, requestId, ipAddress, userAgent } = actor
  const caller: Caller & { organizationId: string } = {
    organizationId,
    actor: { type, userId, apiKeyId },
    grants: { kind: 'service' },
  }
  return { caller, requestId, ipAddress, userAgent } satisfies Partial<ClientRequest<object>>
}

/** The right of every operation in the plan: `config:write` grants none of them. */
const requirePermissions = (plan: ConfigurationPlan, grants: Grants): void => {
  const parts: [Permission, { create: unknown[]; update: unknown[]; remove: unknown[] }][] = [
    ['components:write', plan.components],
    ['integrations:write', plan.integrations],
  ]
  for (const [permission, { create, update, remove }] of parts) {
    const methods = { POST: create, PATCH: update, DELETE: remove }
    for (const [method, changes] of Object.entries(methods)) {
      const needed = requirementOf(permission, method)
      if (changes.length > 0 && !holds(grants, needed)) throw missingPermission(needed)
    }
  }
}

/** What the owners say against their parts, as problems of the document. */
export const ownersIssues = async (
  { core, integrations }: ConfigurationDeps,
  asker: Applicant,
  { plan, batches, mode }: { plan: ConfigurationPlan; batches: Batches; mode: BatchMode },
): Promise<Issue[]> => {
  const asking = internally(asker)
  const ofIntegrations =
    batches.integrations === null
      ? []
      : await issuesOf(
          integrations.call(integrationBatchOperations.apply, {
            ...asking,
            body: { ...batches.integrations, mode },
          }),
        )
  const ofComponents =
    batches.components === null
      ? []
      : await issuesOf(
          core.call(componentBatchOperations.apply, {
            ...asking,
            body: { ...batches.components, mode },
          }),
        )
  return [
    ...ofIntegrations.map((issue) => issueInDocument(issue, plan.integrations)),
    ...ofComponents.map((issue) => issueInDocument(issue, plan.components)),
  ]
}

const issuesOf = async (answer: Promise<unknown>): Promise<Issue[]> => {
  try {
    await answer
    return []
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') throw error
    return (error.details?.issues ?? []) as Issue[]
  }
}
