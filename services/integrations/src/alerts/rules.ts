/** Intakes: made, changed, their tokens; and which alerts are news. Pure. */
import {
  type AlertIntake,
  type AlertIntakeSettings,
  type AlertRoute,
  type AlertSignal,
  type AuditDraft,
  alertSignalReceived,
  changesBetween,
  type EventDraft,
  emit,
  REDACTED,
} from '@status-page/contracts'
import type { AlertIntakeRow, AlertSignalRow, IntegrationRow } from '../tables.ts'
import type { Alert } from './payload.ts'

/** How long the token before the present one is taken. */
const OLD_TOKEN_MS = 86_400_000

export const makeIntake = (
  body: AlertIntakeSettings,
  making: { organizationId: string; integrationId: string; tokenDigest: string; now: Date },
): AlertIntakeRow => {
  const { now, ...owner } = making
  return {
    ...owner,
    ...{ previousTokenDigest: null, previousTokenUntil: null },
    ...settingsOf(body),
    ...{ createdAt: now, updatedAt: now },
  }
}

/** Null when it has no effect. */
export const changeIntake = (
  row: AlertIntakeRow,
  body: AlertIntakeSettings,
  now: Date,
): AlertIntakeRow | null => {
  const changed = { ...row, ...settingsOf(body) }
  return JSON.stringify(changed) === JSON.stringify(row) ? null : { ...changed, updatedAt: now }
}

const settingsOf = ({ publishAfterMinutes = null, routes = [] }: AlertIntakeSettings) => ({
  publishAfterMinutes,
  routes,
})

export const withToken = (row: AlertIntakeRow, tokenDigest: string, now: Date): AlertIntakeRow => ({
  ...row,
  ...{ tokenDigest, previousTokenDigest: row.tokenDigest, updatedAt: now },
  previousTokenUntil: new Date(now.getTime() + OLD_TOKEN_MS),
})

/** Digests that prove a post at that time. */
export const digestsOf = (row: AlertIntakeRow, now: Date): string[] => {
  const { previousTokenDigest: previous, previousTokenUntil: until } = row
  const isOldTaken = previous !== null && until !== null && now < until
  return isOldTaken ? [row.tokenDigest, previous] : [row.tokenDigest]
}

export const presentIntake = (row: AlertIntakeRow, baseUrl: string): AlertIntake => ({
  integrationId: row.integrationId,
  webhookUrl: `${baseUrl}/api/v1/hooks/alerts/${row.integrationId}`,
  ...{ publishAfterMinutes: row.publishAfterMinutes, routes: row.routes },
  ...{ createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() },
})

/** A token shows as a change, never itself. */
export const auditIntake = (
  verb: 'create' | 'update' | 'delete',
  { id, name }: Pick<IntegrationRow, 'id' | 'name'>,
  rows: { before: AlertIntakeRow | null; after: AlertIntakeRow | null },
): AuditDraft => {
  const { before, after } = rows
  const isOther = before !== null && after !== null && before.tokenDigest !== after.tokenDigest
  return {
    action: `alert_intake.${verb}`,
    ...{ entityType: 'alert_intake', entityId: id, entityName: name },
    changes: {
      ...(after === null
        ? {}
        : changesBetween(before === null ? null : auditable(before), auditable(after))),
      ...(isOther ? { token: { from: REDACTED, to: REDACTED } } : {}),
    },
  }
}

const auditable = ({ publishAfterMinutes, routes }: AlertIntakeRow) => ({
  ...{ publishAfterMinutes, routes },
})

/** What is known of the alert from now on; null where it is no news. */
export const takeAlert = (
  known: AlertSignalRow | undefined,
  alert: Alert,
  making: { organizationId: string; integrationId: string; newId: string; now: Date },
): AlertSignalRow | null => {
  const { organizationId, integrationId, newId, now } = making
  const { fingerprint, status, startsAt } = alert
  const row = { organizationId, integrationId, fingerprint, status, startsAt, updatedAt: now }
  if (status === 'resolved') {
    return known?.status === 'firing' ? { ...known, status, updatedAt: now } : null
  }
  // A post that was held up tells of what is over.
  const isNews = known === undefined || (known.status === 'resolved' && startsAt > known.startsAt)
  return isNews ? { ...row, id: newId } : null
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Whoever sends alerts repeats them within hours, or is gone after so long. */
export const SILENT_DAYS = 30

/** Of an alert that is no news: when it was heard of last, to the hour; null where that need not be noted. */
export const heardAgain = (
  known: AlertSignalRow | undefined,
  { status }: Alert,
  now: Date,
): AlertSignalRow | null => {
  if (known?.status !== 'firing' || status !== 'firing') return null
  return now.getTime() - known.updatedAt.getTime() < HOUR_MS ? null : { ...known, updatedAt: now }
}

export const isSilent = ({ status, updatedAt }: AlertSignalRow, now: Date): boolean =>
  status === 'firing' && now.getTime() - updatedAt.getTime() > SILENT_DAYS * DAY_MS

const FIRED = 1
const RESOLVED = 2

export const stateSignal = (
  signal: AlertSignalRow,
  alert: Alert,
  about: {
    integration: Pick<IntegrationRow, 'id' | 'name'>
    route: AlertRoute
    publishAfterMinutes: number | null
  },
): EventDraft => {
  const { integration, route, publishAfterMinutes } = about
  const fact: AlertSignal = {
    ...{ id: signal.id, integrationId: integration.id, integrationName: integration.name },
    ...{ status: alert.status, title: alert.title, message: alert.message },
    ...{ impact: route.impact, componentIds: route.componentIds, publishAfterMinutes },
    startsAt: signal.startsAt.toISOString(),
    endsAt: alert.endsAt?.toISOString() ?? null,
  }
  const version = alert.status === 'firing' ? FIRED : RESOLVED
  return emit(alertSignalReceived, { id: signal.id, version }, { signal: fact })
}

/** Its end needs no more than its id: what it says of components was told when it fired. */
export const stateEnd = (
  { id, startsAt }: AlertSignalRow,
  integration: Pick<IntegrationRow, 'id' | 'name'>,
): EventDraft => {
  const signal: AlertSignal = {
    ...{ id, integrationId: integration.id, integrationName: integration.name },
    ...{ status: 'resolved', title: '', message: '', impact: 'minor', componentIds: [] },
    ...{ publishAfterMinutes: null, startsAt: startsAt.toISOString(), endsAt: null },
  }
  return emit(alertSignalReceived, { id, version: RESOLVED }, { signal })
}
