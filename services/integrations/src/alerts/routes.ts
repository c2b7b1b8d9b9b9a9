/** The operations of intakes, and the hook itself: proved first, read then, taken once. */
import {
  type AlertIntake,
  type AlertIntakeSettings,
  alertHookOperations,
  alertIntakeOperations,
  type Issue,
  invalid,
  notFound,
  type Outcome,
  success,
  systemActor,
  unauthorized,
} from '@status-page/contracts'
import { change, crossLookup, type Database, newId, read, type Scope } from '@status-page/postgres'
import { equalInConstantTime, hashToken, randomToken } from '@status-page/secrets'
import { type Call, formats, parseJson, type Route, route } from '@status-page/service'
import { findIntegration, lockIntegration } from '../integrations/store.ts'
import { findComponents } from '../metrics/store.ts'
import type { AlertIntakeRow, IntegrationRow } from '../tables.ts'
import { type Alert, alertsIn, routeFor } from './payload.ts'
import {
  auditIntake,
  changeIntake,
  digestsOf,
  heardAgain,
  makeIntake,
  presentIntake,
  stateSignal,
  takeAlert,
  withToken,
} from './rules.ts'
import * as store from './store.ts'

export interface AlertDoors {
  database: Database
  /** Of the URL that is to be posted to. */
  baseUrl: string
  /** Takes what is known of the organization's components elsewhere; false while that fails. */
  areComponentsUpToDate(organizationId: string): Promise<boolean>
}

export const alertRoutes = (doors: AlertDoors): Route[] => [
  ...route(alertIntakeOperations, {
    read: ({ params, read }) =>
      read(async (scope) => {
        const row = await store.findIntake(scope, params.id)
        if (row === undefined) throw notFound()
        return presentIntake(row, doors.baseUrl)
      }),

    replace: async ({ params, body, organizationId, change }) => {
      if ((body.routes ?? []).length > 0) await doors.areComponentsUpToDate(organizationId)
      return change((scope) => replaceIntake(scope, params.id, body, doors.baseUrl))
    },

    remove: ({ params, change }) =>
      change(async (scope) => {
        const { integration, before } = await lockBoth(scope, params.id)
        if (before === undefined) throw notFound()
        await store.removeIntake(scope, params.id)
        const audit = [auditIntake('delete', integration, { before, after: null })]
        return { result: success, events: [], audit }
      }),

    rotateToken: ({ params, change }) =>
      change(async (scope) => {
        const { integration, before } = await lockBoth(scope, params.id)
        if (before === undefined) throw notFound()
        const token = randomToken()
        const after = withToken(before, hashToken(token), scope.now)
        await store.saveIntake(scope, after)
        return {
          result: { ...presentIntake(after, doors.baseUrl), token },
          events: [],
          audit: [auditIntake('update', integration, { before, after })],
        }
      }),
  }),
  ...route(alertHookOperations, {
    alerts: async (call) => {
      const intake = await provedIntake(doors, call)
      const alerts = alertsIn(call.rawBody === undefined ? undefined : parseJson(call.rawBody))
      if (alerts === null) {
        throw invalid({ field: 'alerts', message: 'alerts must be those of a webhook' })
      }
      const { organizationId, integrationId } = intake
      const by = { organizationId, actor: systemActor }
      const accepted = await change(doors.database, by, (scope) =>
        takeAll(scope, integrationId, alerts),
      )
      return { accepted }
    },
  }),
]

const lockBoth = async (scope: Scope, id: string) => {
  const integration = await lockIntegration(scope, id, 'share')
  if (integration === undefined) throw notFound()
  return { integration, before: await store.lockIntake(scope, id) }
}

const replaceIntake = async (
  scope: Scope,
  integrationId: string,
  body: AlertIntakeSettings,
  baseUrl: string,
): Promise<Outcome<AlertIntake>> => {
  const { organizationId, now } = scope
  const { integration, before } = await lockBoth(scope, integrationId)
  await judgeComponents(scope, body, before)
  if (before === undefined) {
    const token = randomToken()
    const owner = { organizationId, integrationId, tokenDigest: hashToken(token), now }
    const after = makeIntake(body, owner)
    await store.saveIntake(scope, after)
    const audit = [auditIntake('create', integration, { before: null, after })]
    return { result: { ...presentIntake(after, baseUrl), token }, events: [], audit }
  }
  const after = changeIntake(before, body, now)
  if (after === null) return { result: presentIntake(before, baseUrl), events: [], audit: [] }
  await store.saveIntake(scope, after)
  const audit = [auditIntake('update', integration, { before, after })]
  return { result: presentIntake(after, baseUrl), events: [], audit }
}

/** Those that are stored may be sent back, whatever has become of them. */
const judgeComponents = async (
  scope: Scope,
  { routes = [] }: AlertIntakeSettings,
  before: AlertIntakeRow | undefined,
): Promise<void> => {
  const known = await findComponents(scope, [
    ...new Set(routes.flatMap(({ componentIds }) => componentIds)),
  ])
  const stored = new Set((before?.routes ?? []).flatMap(({ componentIds }) => componentIds))
  const [first, ...others] = routes.flatMap(({ componentIds }, at) =>
    componentIds.flatMap((id, index): Issue[] => {
      const field = `routes[${at}].componentIds[${index}]`
      return known.has(id) || stored.has(id)
        ? []
        : [{ field, message: `${field} names no component` }]
    }),
  )
  if (first !== undefined) throw invalid(first, ...others)
}

type HookCall = Pick<Call, 'headers'> & { params: { integrationId: string } }

/** Unknown ids and wrong tokens are one 401: a stranger learns neither. */
const provedIntake = async (
  { database }: AlertDoors,
  { params: { integrationId }, headers }: HookCall,
): Promise<AlertIntakeRow> => {
  const token = tokenIn(headers)
  if (token === null || formats.uuid?.accepts(integrationId) !== true) throw unauthorized()
  const organizationId = await crossLookup(database, (crossing) =>
    store.organizationOf(crossing, integrationId),
  )
  if (organizationId === null) throw unauthorized()
  const digest = hashToken(token)
  const intake = await read(database, organizationId, async (scope) => {
    const row = await store.findIntake(scope, integrationId)
    const isProved = (row === undefined ? [] : digestsOf(row, scope.now))
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

/** All of one post, or nothing of it; gives how many were news that a route fits. */
const takeAll = async (
  scope: Scope,
  integrationId: string,
  alerts: readonly Alert[],
): Promise<Outcome<number>> => {
  const intake = await store.lockIntake(scope, integrationId)
  const integration = await findIntegration(scope, integrationId)
  const events = []
  if (intake !== undefined && integration !== undefined) {
    for (const alert of alerts)
      events.push(...(await takeOne(scope, { intake, integration }, alert)))
  }
  return { result: events.length, events, audit: [] }
}

const takeOne = async (
  scope: Scope,
  { intake, integration }: { intake: AlertIntakeRow; integration: IntegrationRow },
  alert: Alert,
) => {
  const { organizationId, now } = scope
  const { integrationId, routes, publishAfterMinutes } = intake
  const route = routeFor(routes, alert)
  if (route === null) return []
  const known = await store.findSignal(scope, integrationId, alert.fingerprint)
  const making = { organizationId, integrationId, newId: newId(), now }
  const signal = takeAlert(known, alert, making)
  if (signal === null) {
    const heard = heardAgain(known, alert, now)
    if (heard !== null) await store.saveSignal(scope, heard)
    return []
  }
  await store.saveSignal(scope, signal)
  return [stateSignal(signal, alert, { integration, route, publishAfterMinutes })]
}
