/** Limits of an incident; each error names the field. Pure. */
import {
  comparisonIssue,
  conflict,
  type IncidentStatus,
  invalid,
  MAX_INCIDENT_COMPONENTS,
  MAX_INCIDENT_UPDATES,
  MAX_UPDATES_WITH_AUTOMATIC,
  ruleIssue,
  throwIssues,
} from '@status-page/contracts'
import type { IncidentComponents, StatusByComponentId } from './claims.ts'

export interface IncidentTimes {
  startedAt?: Date | undefined
  resolvedAt?: Date | undefined
}

/** Validates the given times against each other, the status and the present. */
export const validateTimes = (
  given: IncidentTimes,
  after: { startedAt: Date; resolvedAt: Date | null; status: IncidentStatus },
  now: Date,
): void => {
  const { startedAt, resolvedAt } = given
  if (startedAt !== undefined && startedAt > now) {
    throw invalid(ruleIssue('startedAt', 'notFuture'))
  }
  if (resolvedAt !== undefined && after.status !== 'resolved') {
    throw invalid({ field: 'resolvedAt', message: 'resolvedAt requires status resolved' })
  }
  if (resolvedAt !== undefined && resolvedAt > now) {
    throw invalid(ruleIssue('resolvedAt', 'notFuture'))
  }
  if (resolvedAt === undefined && (startedAt === undefined || after.status !== 'resolved')) return
  const end = after.resolvedAt
  if (end === null || after.startedAt < end) return
  if (resolvedAt !== undefined) {
    throw invalid(comparisonIssue('resolvedAt', 'after', 'startedAt'))
  }
  if (after.startedAt > end) {
    throw invalid(comparisonIssue('startedAt', 'notAfter', 'resolvedAt'))
  }
}

/**
 * Limits the number of components in `componentIds` and `componentStatuses` together; the schema
 * limits each field alone.
 */
export const validateComponentCount = ({ length }: readonly string[]): void => {
  if (length <= MAX_INCIDENT_COMPONENTS) return
  const message = `An incident can list at most ${MAX_INCIDENT_COMPONENTS} components`
  throw invalid({ field: 'componentStatuses', message })
}

/**
 * Stored ids are accepted after their component was deleted; a status needs an existing component.
 */
export const validateComponentsExist = (
  given: { componentIds?: readonly string[] | undefined; componentStatuses: StatusByComponentId },
  live: IncidentComponents,
  stored: ReadonlySet<string>,
): void => {
  const unknown = [
    ...(given.componentIds ?? []).flatMap((id, index) =>
      live.has(id) || stored.has(id) ? [] : [`componentIds[${index}]`],
    ),
    ...Object.keys(given.componentStatuses).flatMap((id) =>
      live.has(id) ? [] : [`componentStatuses.${id}`],
    ),
  ]
  throwIssues(unknown.map((field) => ruleIssue(field, 'exists')))
}

/**
 * Automatic updates are capped so that a flapping component cannot grow an incident without bound;
 * the oldest is dropped.
 */
export const hasReachedMaxUpdates = ({ updateCount }: { updateCount: number }): boolean =>
  updateCount >= MAX_UPDATES_WITH_AUTOMATIC

/** Limits updates by users only; automatic updates drop the oldest one instead. */
export const validateUpdateCount = (
  { updateCount }: { updateCount: number },
  update: { byPerson: boolean } | null,
): void => {
  if (update === null || !update.byPerson || updateCount < MAX_INCIDENT_UPDATES) return
  throw conflict('invalid_state', `An incident can have at most ${MAX_INCIDENT_UPDATES} updates`)
}
