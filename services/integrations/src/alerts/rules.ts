/** Rules of intakes: creation, changes, tokens, and which alerts are new. Pure. */
import {
  type AlertIntake,
  type AlertIntakeSettings,
  type AlertRoute,
  type AlertSignal,
  type AuditDraft,
  alertLabelsIn,
  alertSignalReceived,
  alertTemplateProblem,
  changesBetween,
  DEFAULT_TITLE_TEMPLATE,
  draftAudit,
  draftEvent,
  type EventDraft,
  type Impact,
  type Issue,
  REDACTED,
} from '@status-page/contracts'
import type { AlertGroupRow, AlertIntakeRow, AlertSignalRow, IntegrationRow } from '../tables.ts'
import { type Alert, commonLabels } from './payload.ts'

/** Time for which the previous token is accepted after a rotation. */
const OLD_TOKEN_MS = 86_400_000

export const createIntake = (
  body: AlertIntakeSettings,
  making: { organizationId: string; integrationId: string; tokenDigest: string; now: Date },
): AlertIntakeRow => {
  const { now, ...owner } = making
  return {
    ...owner,
    previousTokenDigest: null,
    previousTokenUntil: null,
    ...settingsOf(body),
    createdAt: now,
    updatedAt: now,
  }
}

/** Changed row; null when the change has no effect. */
export const changeIntake = (
  row: AlertIntakeRow,
  body: AlertIntakeSettings,
  now: Date,
): AlertIntakeRow | null => {
  const changed = { ...row, ...settingsOf(body) }
  return JSON.stringify(changed) === JSON.stringify(row) ? null : { ...changed, updatedAt: now }
}

const settingsOf = ({
  publishAfterMinutes = null,
  routes = [],
  titleTemplate = DEFAULT_TITLE_TEMPLATE,
  messageTemplate = '',
  autoResolve = false,
}: AlertIntakeSettings) => ({
  publishAfterMinutes,
  routes,
  titleTemplate,
  messageTemplate,
  autoResolve,
})

/** Problems of the templates, each with its field. */
export const templateIssues = (body: AlertIntakeSettings): Issue[] =>
  (['titleTemplate', 'messageTemplate'] as const).flatMap((field) => {
    const problem = alertTemplateProblem(body[field] ?? '')
    return problem === null ? [] : [{ field, message: `${field} ${problem}` }]
  })

export const replaceToken = (
  row: AlertIntakeRow,
  tokenDigest: string,
  now: Date,
): AlertIntakeRow => ({
  ...row,
  tokenDigest,
  previousTokenDigest: row.tokenDigest,
  updatedAt: now,
  previousTokenUntil: new Date(now.getTime() + OLD_TOKEN_MS),
})

/** Digests of the tokens that are accepted at that time. */
export const acceptedTokenDigests = (row: AlertIntakeRow, now: Date): string[] => {
  const { previousTokenDigest: previous, previousTokenUntil: until } = row
  const isOldTaken = previous !== null && until !== null && now < until
  return isOldTaken ? [row.tokenDigest, previous] : [row.tokenDigest]
}

export const intakeReplyOf = (row: AlertIntakeRow, baseUrl: string): AlertIntake => ({
  integrationId: row.integrationId,
  webhookUrl: `${baseUrl}/api/v1/hooks/alerts/${row.integrationId}`,
  ...auditable(row),
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

/** Audit entry; a token appears as changed, never with its value. */
export const intakeAuditEntry = (
  verb: 'create' | 'update' | 'delete',
  integration: Pick<IntegrationRow, 'id' | 'name'>,
  rows: { before: AlertIntakeRow | null; after: AlertIntakeRow | null },
): AuditDraft => {
  const { before, after } = rows
  const isOther = before !== null && after !== null && before.tokenDigest !== after.tokenDigest
  const changes =
    after === null ? {} : changesBetween(before && auditable(before), auditable(after))
  return draftAudit(
    `alert_intake.${verb}`,
    integration,
    isOther ? { ...changes, token: { from: REDACTED, to: REDACTED } } : changes,
  )
}

const auditable = (row: AlertIntakeRow): Required<AlertIntakeSettings> => ({
  publishAfterMinutes: row.publishAfterMinutes,
  routes: row.routes,
  titleTemplate: row.titleTemplate,
  messageTemplate: row.messageTemplate,
  autoResolve: row.autoResolve,
})

/** Alert to store; null when the post contains nothing new about it. */
export const nextSignal = (
  known: AlertSignalRow | undefined,
  alert: Alert,
  owner: Pick<AlertSignalRow, 'organizationId' | 'integrationId' | 'groupKey'>,
  now: Date,
): AlertSignalRow | null => {
  const { fingerprint, status, startsAt } = alert
  const row = { ...owner, fingerprint, status, startsAt, updatedAt: now }
  if (status === 'resolved') {
    return known?.status === 'firing' ? { ...known, status, updatedAt: now } : null
  }
  // A delayed post can contain an alert that has ended since.
  const isNews = known === undefined || (known.status === 'resolved' && startsAt > known.startsAt)
  return isNews ? row : null
}

/** Alert that started to fire, with its matching route. */
export interface FiredAlert {
  alert: Alert
  route: AlertRoute
}

const severity: Record<Impact, number> = { minor: 0, major: 1, critical: 2 }

/**
 * Group after some of its alerts started to fire: a new group gets a new id; a firing group adds
 * their components and takes the worst impact. Null when it stays unchanged.
 */
export const groupAfterFiring = (
  before: AlertGroupRow | undefined,
  fired: readonly FiredAlert[],
  making: Pick<AlertGroupRow, 'organizationId' | 'integrationId' | 'groupKey'> & {
    newId: string
    now: Date
  },
): AlertGroupRow | null => {
  const { newId, now, ...owner } = making
  const [first] = fired
  if (first === undefined) return null
  const firing = before?.status === 'firing' ? before : null
  const added = fired.flatMap(({ route }) => route.componentIds)
  const componentIds = [...new Set([...(firing?.componentIds ?? []), ...added])]
  const impact = fired
    .map(({ route }) => route.impact)
    .reduce(worse, firing?.impact ?? first.route.impact)
  if (firing === null) {
    const startsAt = new Date(Math.min(...fired.map(({ alert }) => alert.startsAt.getTime())))
    const status = 'firing' as const
    return {
      ...owner,
      id: newId,
      version: 1,
      status,
      impact,
      componentIds,
      startsAt,
      updatedAt: now,
    }
  }
  const isSame = impact === firing.impact && componentIds.length === firing.componentIds.length
  if (isSame) return null
  return { ...firing, version: firing.version + 1, impact, componentIds, updatedAt: now }
}

const worse = (one: Impact, other: Impact): Impact =>
  severity[other] > severity[one] ? other : one

export const resolveGroup = (group: AlertGroupRow, now: Date): AlertGroupRow => ({
  ...group,
  version: group.version + 1,
  status: 'resolved',
  updatedAt: now,
})

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Days without repetition before an alert is resolved; senders repeat alerts within hours. */
export const MAX_DAYS_WITHOUT_REPETITION = 30

/** Time of the last repetition, rounded to the hour; null when the stored time is recent enough. */
export const renewRepetitionTime = (
  known: AlertSignalRow | undefined,
  { status }: Alert,
  now: Date,
): AlertSignalRow | null => {
  if (known?.status !== 'firing' || status !== 'firing') return null
  return now.getTime() - known.updatedAt.getTime() < HOUR_MS ? null : { ...known, updatedAt: now }
}

export const isRepetitionOverdue = ({ status, updatedAt }: AlertSignalRow, now: Date): boolean =>
  status === 'firing' && now.getTime() - updatedAt.getTime() > MAX_DAYS_WITHOUT_REPETITION * DAY_MS

type Named = Pick<IntegrationRow, 'id' | 'name'>

/** Event of a firing group, with the text of its first alert. */
export const firingEvent = (
  group: AlertGroupRow,
  fired: readonly FiredAlert[],
  { intake, integration }: { intake: AlertIntakeRow; integration: Named },
): EventDraft => {
  const alerts = fired.map(({ alert }) => alert)
  const { titleTemplate, messageTemplate, autoResolve, publishAfterMinutes } = intake
  const signal: AlertSignal = {
    id: group.id,
    integrationId: integration.id,
    integrationName: integration.name,
    status: 'firing',
    title: alerts[0]?.title ?? '',
    message: alerts[0]?.message ?? '',
    titleTemplate,
    messageTemplate,
    labels: commonLabels(alerts, alertLabelsIn(titleTemplate, messageTemplate)),
    autoResolve,
    impact: group.impact,
    componentIds: group.componentIds,
    publishAfterMinutes,
    startsAt: group.startsAt.toISOString(),
    endsAt: null,
  }
  return draftEvent(alertSignalReceived, { id: group.id, version: group.version }, { signal })
}

/** Event of a resolved group; its text was in the first event. */
export const resolvedEvent = (
  group: AlertGroupRow,
  endsAt: Date | null,
  { intake, integration }: { intake: AlertIntakeRow; integration: Named },
): EventDraft => {
  const signal: AlertSignal = {
    id: group.id,
    integrationId: integration.id,
    integrationName: integration.name,
    status: 'resolved',
    title: '',
    message: '',
    titleTemplate: '',
    messageTemplate: '',
    labels: {},
    autoResolve: intake.autoResolve,
    impact: group.impact,
    componentIds: [],
    publishAfterMinutes: null,
    startsAt: group.startsAt.toISOString(),
    endsAt: endsAt?.toISOString() ?? null,
  }
  return draftEvent(alertSignalReceived, { id: group.id, version: group.version }, { signal })
}
