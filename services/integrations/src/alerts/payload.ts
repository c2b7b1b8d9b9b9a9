/**
 * Parser of the payload that Alertmanager and Grafana post: a group of alerts in one shape. Reads
 * only the fields in use, within bounds; long texts are cut, not refused. Pure.
 */
import { createHash } from 'node:crypto'
import { type AlertRoute, MAX_INCIDENT_TITLE, MAX_SIGNAL_MESSAGE } from '@status-page/contracts'

/**
 * Maximum alerts per post. Alertmanager groups have no bound; further alerts arrive with the next
 * post.
 */
const MAX_ALERTS = 500
const MAX_FINGERPRINT = 128

export interface Alert {
  fingerprint: string
  status: 'firing' | 'resolved'
  labels: Record<string, string>
  title: string
  message: string
  startsAt: Date
  endsAt: Date | null
}

/** Alerts of one problem; they create one draft, which is resolved when all of them are. */
export interface AlertGroup {
  /** Digest of the group key, because the key itself has no length limit. */
  key: string
  alerts: Alert[]
}

/** Returns the groups; null for another payload. An alert without a group is a group of its own. */
export const parseAlertGroups = (payload: unknown): AlertGroup[] | null => {
  if (!isRecord(payload) || !Array.isArray(payload.alerts)) return null
  const given = payload.alerts.slice(0, MAX_ALERTS).map(alertOf)
  if (given.includes(null)) return null
  const alerts = given as Alert[]
  const { groupKey } = payload
  if (typeof groupKey === 'string' && groupKey !== '') {
    return alerts.length === 0 ? [] : [{ key: digestOf(`group:${groupKey}`), alerts }]
  }
  const single = Map.groupBy(alerts, ({ fingerprint }) => digestOf(`alert:${fingerprint}`))
  return [...single].map(([key, some]) => ({ key, alerts: some }))
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

const alertOf = (given: unknown): Alert | null => {
  if (!isRecord(given)) return null
  const { status, fingerprint } = given
  const startsAt = timeOf(given.startsAt)
  const isKnown = status === 'firing' || status === 'resolved'
  if (!isKnown || startsAt === null || typeof fingerprint !== 'string') return null
  if (fingerprint === '' || fingerprint.length > MAX_FINGERPRINT) return null
  const labels = textsOf(given.labels)
  const annotations = textsOf(given.annotations)
  const title = oneLine(annotations.summary ?? '') || oneLine(labels.alertname ?? '') || 'Alert'
  const description = annotations.description ?? annotations.message ?? ''
  return {
    fingerprint,
    status,
    labels,
    startsAt,
    endsAt: status === 'resolved' ? timeOf(given.endsAt) : null,
    title,
    message: cut(longText(description.slice(0, 2 * MAX_SIGNAL_MESSAGE)), MAX_SIGNAL_MESSAGE),
  }
}

/** Returns the named labels that all alerts have with the same value. */
export const commonLabels = (
  alerts: readonly Pick<Alert, 'labels'>[],
  names: readonly string[],
): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const values = new Set(alerts.map(({ labels }) => ownText(labels, name)))
      const [value] = values
      return values.size === 1 && value !== undefined ? [[name, oneLine(value)] as const] : []
    }),
  )

const ownText = (labels: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(labels, name) ? labels[name] : undefined

/** Returns the first matching route. */
export const firstMatchingRoute = (
  routes: readonly AlertRoute[],
  { labels }: Pick<Alert, 'labels'>,
): AlertRoute | null =>
  routes.find(({ matchLabels }) =>
    Object.entries(matchLabels).every(
      ([name, value]) => Object.hasOwn(labels, name) && labels[name] === value,
    ),
  ) ?? null

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textsOf = (given: unknown): Record<string, string> =>
  isRecord(given)
    ? Object.fromEntries(
        Object.entries(given).flatMap(([name, value]) =>
          typeof value === 'string' ? [[name, value] as const] : [],
        ),
      )
    : {}

/** Alertmanager sends the year 1 for an alert that has not ended. */
const FIRST_YEAR = 1970
const LAST_YEAR = 9999

const timeOf = (given: unknown): Date | null => {
  const time = typeof given === 'string' ? new Date(given) : null
  const year = time?.getUTCFullYear() ?? Number.NaN
  return time !== null && year >= FIRST_YEAR && year <= LAST_YEAR ? time : null
}

/** Removes control, bidirectional and zero-width characters, like names and titles of the API. */
const oneLine = (text: string): string =>
  cut(
    text
      // Bounds the text to what a title can show; an annotation may be as long as the post.
      .slice(0, 2 * MAX_INCIDENT_TITLE)
      .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
      .trim(),
    MAX_INCIDENT_TITLE,
  )

const longText = (text: string): string => text.replace(/[^\P{Cc}\t\n]|\p{Cs}/gu, ' ').trim()

/** Cuts by code points, so that no surrogate pair is split. */
const cut = (text: string, length: number): string => [...text].slice(0, length).join('')
