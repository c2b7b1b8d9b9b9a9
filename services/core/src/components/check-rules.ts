/** Rules of the check of a component: those of every kind, and those of single kinds. */
import {
  type CheckSettings,
  commonCheckFields,
  comparisonIssue,
  fieldsOfProbe,
  fieldsOfType,
  hasCommonField,
  type Issue,
  type PolledKind,
  type ProbeKind,
  type ProbeSettings,
  urlProblemOf,
} from '@status-page/contracts'
import { acceptsText } from '@status-page/outbound'
import { cronProblem } from '@status-page/schedule'
import { conditionIssues, issuesWithoutBody, issuesWithoutCertificate } from './condition-issues.ts'

/** Fields that checks of the kind have. */
export const fieldsOfCheck = (kind: ProbeKind): string[] => [
  ...fieldsOfProbe(kind),
  ...commonCheckFields.filter((field) => hasCommonField(kind, field)),
]

/** Issues of given fields that only other kinds have; null and the default count as absent. */
export const otherKindIssues = (
  kind: ProbeKind,
  given: object,
  defaults: Readonly<Record<string, unknown>>,
): Issue[] => {
  const applicable = ['kind', ...fieldsOfCheck(kind)]
  return Object.entries(given).flatMap(([field, value]): Issue[] => {
    if (value == null || applicable.includes(field) || !endpointFields.has(field)) return []
    if (JSON.stringify(value) === JSON.stringify(defaults[field])) return []
    return [{ field, message: `${field} does not apply to a check of kind ${kind}` }]
  })
}

const endpointFields: ReadonlySet<string> = new Set(fieldsOfType('ENDPOINT'))

type Settings<Kind extends ProbeKind> = Extract<CheckSettings, { kind: Kind }>

export const checkIssues = (check: CheckSettings): Issue[] =>
  check.kind === 'heartbeat' ? heartbeatIssues(check) : polledIssues(check)

const heartbeatIssues = (check: Settings<'heartbeat'>): Issue[] => {
  const { schedule, periodSeconds, maxRunSeconds, minRunSeconds } = check
  const issues: Issue[] = []
  if ((schedule === null) === (periodSeconds === null)) {
    const field = schedule === null ? 'periodSeconds' : 'schedule'
    const message = 'a heartbeat requires either schedule or periodSeconds; the other one is null'
    issues.push({ field, message })
  }
  const problem = schedule === null ? null : cronProblem(schedule, Date.now())
  if (problem !== null) {
    issues.push({ field: 'schedule.cron', message: `schedule.cron ${problem}` })
  }
  if (maxRunSeconds !== null && minRunSeconds !== null && minRunSeconds > maxRunSeconds) {
    issues.push(comparisonIssue('minRunSeconds', 'notGreater', 'maxRunSeconds'))
  }
  return issues
}

const polledIssues = (check: Settings<PolledKind>): Issue[] => {
  const { kind, timeout, checkInterval, locations, locationQuorum } = check
  const issues = conditionIssues(check.conditions, kind)
  const urlProblem = urlProblemOf(kind, check.url)
  if (urlProblem !== null) issues.push({ field: 'url', message: urlProblem })
  issues.push(...(rulesOfKinds[kind]?.(check as never) ?? []))
  if (timeout > checkInterval * 1000) {
    issues.push(comparisonIssue('timeout', 'notGreater', 'checkInterval'))
  }
  if (locationQuorum != null && locationQuorum > Math.max(1, locations?.length ?? 0)) {
    const message = 'locationQuorum must not be greater than the number of locations'
    issues.push({ field: 'locationQuorum', message })
  }
  return issues
}

const MAX_BODY_BYTES = 64 * 1024
const methodsWithBody = ['POST', 'PUT', 'PATCH', 'DELETE']

/** Rules between the fields of a kind. */
const rulesOfKinds: { [Kind in PolledKind]?: (settings: ProbeSettings<Kind>) => Issue[] } = {
  http: ({ url, method, body, conditions }) => {
    const issues = method === 'HEAD' ? issuesWithoutBody(conditions) : []
    if (!url.startsWith('https:')) issues.push(...issuesWithoutCertificate(conditions))
    if (body === null) return issues
    if (!methodsWithBody.includes(method)) {
      issues.push({ field: 'body', message: `body requires method ${methodsWithBody.join(', ')}` })
    }
    if (Buffer.byteLength(body) > MAX_BODY_BYTES) {
      issues.push({ field: 'body', message: `body must have at most ${MAX_BODY_BYTES} bytes` })
    }
    return issues
  },
  tcp: ({ url, send }) => {
    const { port } = new URL(url)
    if (send === null || acceptsText(Number(port))) return []
    return [{ field: 'send', message: `send is not allowed for port ${port}` }]
  },
}
