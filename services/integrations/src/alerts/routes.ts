/** Operations of alert intakes, and the webhook: authenticates the post before parsing it. */
import { isUtf8 } from 'node:buffer'
import {
  type AlertIntake,
  type AlertIntakeSettings,
  alertHookOperations,
  alertIntakeOperations,
  type Issue,
  invalid,
  notFound,
  orNotFound,
  ruleIssue,
  successReply,
  systemActor,
  type TransactionOutcome,
  throwIssues,
  unauthorized,
} from '@status-page/contracts'
import { parseUntrustedJson, StepBudget, StepBudgetError } from '@status-page/outbound'
import { asLookup, type Database, read, type Scope, transact } from '@status-page/postgres'
import { equalInConstantTime, hashToken, randomToken } from '@status-page/secrets'
import {
  type Call,
  createRoutes,
  type Route,
  textFormats,
  validateJson,
} from '@status-page/service'
import { lockIntegration } from '../integrations/store.ts'
import { findComponents } from '../metrics/store.ts'
import type { AlertIntakeRow } from '../tables.ts'
import { parseAlertGroups } from './payload.ts'
import { processAlertGroups } from './process-alerts.ts'
import {
  acceptedTokenDigests,
  changeIntake,
  createIntake,
  intakeAuditEntry,
  intakeReplyOf,
  replaceToken,
  templateIssues,
} from './rules.ts'
import * as store from './store.ts'

export interface AlertDeps {
  database: Database
  /** Base of the webhook URL. */
  baseUrl: string
  /** Catches the component projection up; false when that fails. */
  areComponentsUpToDate(organizationId: string): Promise<boolean>
}

export const alertRoutes = (deps: AlertDeps): Route[] => [
  ...createRoutes(alertIntakeOperations, {
    read: ({ params, read }) =>
      read(async (scope) =>
        intakeReplyOf(orNotFound(await store.findIntake(scope, params.id)), deps.baseUrl),
      ),

    replace: async ({ params, body, organizationId, change }) => {
      throwIssues(templateIssues(body))
      if ((body.routes ?? []).length > 0) await deps.areComponentsUpToDate(organizationId)
      return change((scope) => replaceIntake(scope, params.id, body, deps.baseUrl))
    },

    remove: ({ params, change }) =>
      change(async (scope) => {
        const { integration, before } = await lockBoth(scope, params.id)
        if (before === undefined) throw notFound()
        await store.removeIntake(scope, params.id)
        const audit = [intakeAuditEntry('delete', integration, { before, after: null })]
        return { result: successReply, events: [], audit }
      }),

    rotateToken: ({ params, change }) =>
      change(async (scope) => {
        const { integration, before } = await lockBoth(scope, params.id)
        if (before === undefined) throw notFound()
        const token = randomToken()
        const after = replaceToken(before, hashToken(token), scope.now)
        await store.saveIntake(scope, after)
        return {
          result: { ...intakeReplyOf(after, deps.baseUrl), token },
          events: [],
          audit: [intakeAuditEntry('update', integration, { before, after })],
        }
      }),
  }),
  ...createRoutes(alertHookOperations, {
    alerts: async (call) => {
      const intake = await provedIntake(deps, call)
      const groups = parseAlertGroups(payloadOf(call.rawBody))
      if (groups === null) {
        throw invalid({
          field: 'alerts',
          message: 'alerts must be the alerts of a webhook payload',
        })
      }
      const { organizationId, integrationId } = intake
      const by = { organizationId, actor: systemActor }
      const accepted = await transact(deps.database, by, (scope) =>
        processAlertGroups(scope, integrationId, groups),
      )
      return { accepted }
    },
  }),
]

/** Maximum steps to parse a post, about 16 ms. */
const MAX_STEPS = 8_000_000

const payloadOf = (bytes: Buffer | undefined): unknown => {
  if (bytes === undefined || !isUtf8(bytes)) return undefined
  const text = bytes.toString()
  try {
    const payload = parseUntrustedJson(text, new StepBudget(MAX_STEPS))
    validateJson(payload)
    return payload
  } catch (error) {
    if (!(error instanceof StepBudgetError)) throw error
    throw invalid({ field: 'body', message: 'body takes too many steps to evaluate' })
  }
}

const lockBoth = async (scope: Scope, id: string) => {
  const integration = orNotFound(await lockIntegration(scope, id, 'share'))
  return { integration, before: await store.lockIntake(scope, id) }
}

const replaceIntake = async (
  scope: Scope,
  integrationId: string,
  body: AlertIntakeSettings,
  baseUrl: string,
): Promise<TransactionOutcome<AlertIntake>> => {
  const { organizationId, now } = scope
  const { integration, before } = await lockBoth(scope, integrationId)
  await validateComponents(scope, body, before)
  if (before === undefined) {
    const token = randomToken()
    const owner = { organizationId, integrationId, tokenDigest: hashToken(token), now }
    const after = createIntake(body, owner)
    await store.saveIntake(scope, after)
    const audit = [intakeAuditEntry('create', integration, { before: null, after })]
    return { result: { ...intakeReplyOf(after, baseUrl), token }, events: [], audit }
  }
  const after = changeIntake(before, body, now)
  if (after === null) return { result: intakeReplyOf(before, baseUrl) }
  await store.saveIntake(scope, after)
  const audit = [intakeAuditEntry('update', integration, { before, after })]
  return { result: intakeReplyOf(after, baseUrl), events: [], audit }
}

/**
 * Validates component ids. Stored ids are accepted again, even when their component no longer
 * exists.
 */
const validateComponents = async (
  scope: Scope,
  { routes = [] }: AlertIntakeSettings,
  before: AlertIntakeRow | undefined,
): Promise<void> => {
  const known = await findComponents(scope, [
    ...new Set(routes.flatMap(({ componentIds }) => componentIds)),
  ])
  const stored = new Set((before?.routes ?? []).flatMap(({ componentIds }) => componentIds))
  throwIssues(
    routes.flatMap(({ componentIds }, at) =>
      componentIds.flatMap((id, index): Issue[] => {
        const field = `routes[${at}].componentIds[${index}]`
        return known.has(id) || stored.has(id) ? [] : [ruleIssue(field, 'exists')]
      }),
    ),
  )
}

type HookCall = Pick<Call, 'headers'> & { params: { integrationId: string } }

/**
 * Authenticated intake. Unknown ids and wrong tokens both answer 401, so that neither is revealed.
 */
const provedIntake = async (
  { database }: AlertDeps,
  { params: { integrationId }, headers }: HookCall,
): Promise<AlertIntakeRow> => {
  const token = tokenIn(headers)
  if (token === null || textFormats.uuid?.accepts(integrationId) !== true) throw unauthorized()
  const organizationId = await asLookup(database, (systemScope) =>
    store.organizationOfIntake(systemScope, integrationId),
  )
  if (organizationId === null) throw unauthorized()
  const digest = hashToken(token)
  const intake = await read(database, organizationId, async (scope) => {
    const row = await store.findIntake(scope, integrationId)
    const isProved = (row === undefined ? [] : acceptedTokenDigests(row, scope.now))
      .map((known) => equalInConstantTime(known, digest))
      .includes(true)
    return isProved ? row : undefined
  })
  if (intake === undefined) throw unauthorized()
  return intake
}

const tokenIn = (headers: HookCall['headers']): string | null => {
  const { authorization, 'x-hook-token': own } = headers
  if (typeof own === 'string') return own
  if (typeof authorization !== 'string') return null
  return /^Bearer +([\x21-\x7e]{1,256})$/i.exec(authorization)?.[1] ?? null
}
