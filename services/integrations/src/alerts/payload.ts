/**
 * What Alertmanager and Grafana's alerting post: a group of alerts, in one shape. Only what we need is
 * read, and what is read is bounded; a text is cut rather than refused. Pure.
 */
import { type AlertRoute, MAX_INCIDENT_TITLE, MAX_SIGNAL_MESSAGE } from '@status-page/contracts'

/** Alertmanager groups without a bound; the rest of a group comes again with its next post. */
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

/** Null where it is no such payload. */
export const alertsIn = (payload: unknown): Alert[] | null => {
  if (!isRecord(payload) || !Array.isArray(payload.alerts)) return null
  const alerts = payload.alerts.slice(0, MAX_ALERTS).map(alertOf)
  return alerts.includes(null) ? null : (alerts as Alert[])
}

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
  return {
    ...{ fingerprint, status, labels, startsAt },
    endsAt: status === 'resolved' ? timeOf(given.endsAt) : null,
    title: cut(title, MAX_INCIDENT_TITLE),
    message: cut(
      longText(annotations.description ?? annotations.message ?? ''),
      MAX_SIGNAL_MESSAGE,
    ),
  }
}

/** The first that fits counts. */
export const routeFor = (
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

/** Alertmanager writes the year 1 where an alert has not ended. */
const FIRST_YEAR = 1970
const LAST_YEAR = 9999

const timeOf = (given: unknown): Date | null => {
  const time = typeof given === 'string' ? new Date(given) : null
  const year = time?.getUTCFullYear() ?? Number.NaN
  return time !== null && year >= FIRST_YEAR && year <= LAST_YEAR ? time : null
}

/** As names and titles of the API are: no control, bidi or zero-width character. */
const oneLine = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ').trim()

const longText = (text: string): string => text.replace(/[^\P{Cc}\t\n]|\p{Cs}/gu, ' ').trim()

/** By code points, so that none is halved. */
const cut = (text: string, length: number): string => [...text].slice(0, length).join('')
