/** Handles one post of alerts: groups that begin, grow or end become events for core. */
import type { AlertRoute, EventDraft, Outcome } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { findIntegration } from '../integrations/store.ts'
import type { AlertGroupRow, AlertIntakeRow, AlertSignalRow, IntegrationRow } from '../tables.ts'
import { type Alert, type AlertGroup, firstMatchingRoute } from './payload.ts'
import {
  firingEvent,
  groupAfterFiring,
  nextSignal,
  renewRepetitionTime,
  resolvedEvent,
  resolveGroup,
} from './rules.ts'
import * as store from './store.ts'

interface Routed {
  alert: Alert
  route: AlertRoute | null
}

interface Source {
  intake: AlertIntakeRow
  integration: IntegrationRow
}

/** Handles all groups of a post; returns the number of new alerts with a matching route. */
export const processAlertGroups = async (
  scope: Scope,
  integrationId: string,
  groups: readonly AlertGroup[],
): Promise<Outcome<number>> => {
  const intake = await store.lockIntake(scope, integrationId)
  const integration = await findIntegration(scope, integrationId)
  const outcome = { result: 0, events: [] as EventDraft[], audit: [] }
  if (intake === undefined || integration === undefined) return outcome
  for (const group of groups) {
    const { accepted, events } = await takeGroup(scope, { intake, integration }, group)
    outcome.result += accepted
    outcome.events.push(...events)
  }
  return outcome
}

const takeGroup = async (
  scope: Scope,
  source: Source,
  { key, alerts }: AlertGroup,
): Promise<{ accepted: number; events: EventDraft[] }> => {
  const { organizationId, now } = scope
  const { integrationId, routes } = source.intake
  const owner = { organizationId, integrationId, groupKey: key }
  // A resolved alert needs no route: its group may have started under another one.
  const routed = alerts
    .map((alert): Routed => ({ alert, route: firstMatchingRoute(routes, alert) }))
    .filter(({ alert, route }) => route !== null || alert.status === 'resolved')
  if (routed.length === 0) return { accepted: 0, events: [] }
  const before = await store.findGroup(scope, owner)
  const known = new Map(
    (before === undefined ? [] : await store.findSignals(scope, owner, fingerprintsOf(routed))).map(
      (row) => [row.fingerprint, row],
    ),
  )
  const { rows, news } = taken(routed, known, owner, now)
  const fired = news.flatMap(({ alert, route }) =>
    alert.status === 'firing' && route !== null ? [{ alert, route }] : [],
  )
  const grown = groupAfterFiring(before, fired, { ...owner, newId: newId(), now })
  // The group is saved before its alerts, which reference it.
  if (grown !== null) await store.saveGroup(scope, grown)
  await store.saveSignals(scope, rows)
  const events = grown === null ? [] : [firingEvent(grown, fired, source)]
  const group = grown ?? before
  const ended = news.filter(({ alert }) => alert.status === 'resolved').map(({ alert }) => alert)
  if (group !== undefined && ended.length > 0) {
    events.push(...(await endGroup(scope, group, { ...source, endsAt: lastEnd(ended) })))
  }
  return { accepted: news.length, events }
}

/** Ends the group when none of its alerts fires; returns the event. */
export const endGroup = async (
  scope: Scope,
  group: AlertGroupRow,
  { endsAt, ...source }: Source & { endsAt: Date | null },
): Promise<EventDraft[]> => {
  if (group.status === 'resolved' || (await store.hasFiringSignal(scope, group))) return []
  const ended = resolveGroup(group, scope.now)
  await store.saveGroup(scope, ended)
  return [resolvedEvent(ended, endsAt, source)]
}

const fingerprintsOf = (routed: readonly Routed[]): string[] =>
  routed.map(({ alert }) => alert.fingerprint)

/** Returns the rows to store, the last one of each alert, and the new alerts. */
const taken = (
  routed: readonly Routed[],
  known: ReadonlyMap<string, AlertSignalRow>,
  owner: Pick<AlertSignalRow, 'organizationId' | 'integrationId' | 'groupKey'>,
  now: Date,
): { rows: AlertSignalRow[]; news: Routed[] } => {
  const current = new Map(known)
  const rows = new Map<string, AlertSignalRow>()
  const news: Routed[] = []
  for (const one of routed) {
    const { alert } = one
    const before = current.get(alert.fingerprint)
    const next = nextSignal(before, alert, owner, now)
    if (next !== null) news.push(one)
    const row = next ?? renewRepetitionTime(before, alert, now)
    if (row === null) continue
    current.set(alert.fingerprint, row)
    rows.set(alert.fingerprint, row)
  }
  return { rows: [...rows.values()], news }
}

const lastEnd = (ended: readonly Alert[]): Date | null => {
  const times = ended.flatMap(({ endsAt }) => (endsAt === null ? [] : [endsAt.getTime()]))
  return times.length === 0 ? null : new Date(Math.max(...times))
}
