/** Raises and resolves alerts for events that schedules select by name. */
import type {
  CertificateEventData,
  DraftEventData,
  IncidentEventData,
  OncallEvent,
  OutcomeDrafts,
  SlaEventData,
  SlaTargetEventData,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { ancestorsOf, findComponents } from '../../components/store.ts'
import { findDraft } from '../../incidents/drafts/store.ts'
import { findIncident } from '../../incidents/store.ts'
import { combineDrafts, noChanges, raiseAlerts, resolveAlerts } from './changes.ts'
import * as causes from './event-causes.ts'
import type { AlertCause } from './rules.ts'

export const onSlaStatus = async (
  scope: Scope,
  kind: causes.SlaStatusEvent | 'sla.recovered',
  sla: SlaEventData,
): Promise<OutcomeDrafts> => {
  if (kind === 'sla.recovered') {
    const keys = [causes.eventKey('sla.breached', sla.id), causes.eventKey('sla.at-risk', sla.id)]
    return resolveAll(scope, keys)
  }
  const scopeIds = await unmutedScopeIds(scope, sla.componentIds)
  return raise(scope, kind, scopeIds && causes.causeOfSla(kind, sla, scopeIds))
}

export const onSlaTarget = async (
  scope: Scope,
  kind: causes.SlaTargetEvent,
  target: SlaTargetEventData,
): Promise<OutcomeDrafts> => {
  if (!(await isOpenIncident(scope, target.incident.id))) return noChanges
  const scopeIds = await unmutedScopeIds(scope, target.sla.componentIds)
  return raise(scope, kind, scopeIds && causes.causeOfSlaTarget(kind, target, scopeIds))
}

export const onCertificate = async (
  scope: Scope,
  certificate: CertificateEventData,
  at: string,
): Promise<OutcomeDrafts> => {
  const { componentId } = certificate
  if (!(await findComponents(scope, [componentId])).has(componentId)) return noChanges
  const scopeIds = await unmutedScopeIds(scope, [componentId])
  const cause = scopeIds && causes.causeOfCertificate(certificate, { at, scopeIds })
  return raise(scope, 'certificate.expiring', cause)
}

export const onOverdueUpdate = async (
  scope: Scope,
  incident: IncidentEventData,
  at: string,
): Promise<OutcomeDrafts> => {
  if (!(await isOpenIncident(scope, incident.id))) return noChanges
  return raise(scope, 'incident.update-overdue', causes.causeOfOverdueUpdate(incident, { at }))
}

/** Raises an alert unless the draft was published, vetoed or closed in the meantime. */
export const onDraft = async (
  scope: Scope,
  kind: OncallEvent,
  draft: DraftEventData,
): Promise<OutcomeDrafts> => {
  if ((await findDraft(scope, draft.id))?.status !== 'waiting') return noChanges
  return raise(scope, kind, causes.causeOfDraft(draft))
}

export const onDraftClosed = async (scope: Scope, draftId: string): Promise<OutcomeDrafts> => {
  const draft = await findDraft(scope, draftId)
  const description = draft === undefined ? null : causes.describeClosedDraft(draft)
  return resolveAlerts(scope, causes.draftKey(draftId), description)
}

/** Resolves the alerts about an incident that was resolved or deleted. */
export const onIncidentEnd = (scope: Scope, incidentId: string): Promise<OutcomeDrafts> =>
  resolveAll(scope, causes.alertKeysOfIncident(incidentId))

/** Resolves the alert of an overdue update when no update is due any more. */
export const onIncidentUpdate = async (
  scope: Scope,
  { id, nextUpdateAt }: IncidentEventData,
): Promise<OutcomeDrafts> => {
  const isDue = typeof nextUpdateAt === 'string' && new Date(nextUpdateAt) <= scope.now
  return isDue ? noChanges : resolveAlerts(scope, causes.eventKey('incident.update-overdue', id))
}

const raise = async (
  scope: Scope,
  event: OncallEvent,
  cause: AlertCause | null,
): Promise<OutcomeDrafts> =>
  cause === null ? noChanges : raiseAlerts(scope, cause, { onlyFirst: false, event })

const resolveAll = async (scope: Scope, keys: readonly string[]): Promise<OutcomeDrafts> => {
  const changes: OutcomeDrafts[] = []
  for (const key of keys) changes.push(await resolveAlerts(scope, key))
  return combineDrafts(changes)
}

const isOpenIncident = async (scope: Scope, id: string): Promise<boolean> => {
  const incident = await findIncident(scope, id)
  return incident !== undefined && incident.status !== 'resolved'
}

/** Ids of unmuted components and their ancestors; null when all components are muted. */
const unmutedScopeIds = async (
  scope: Scope,
  componentIds: readonly string[],
): Promise<string[] | null> => {
  const components = await findComponents(scope, componentIds)
  const ids = [...components.values()].filter(({ isMuted }) => !isMuted).map(({ id }) => id)
  if (components.size > 0 && ids.length === 0) return null
  const ancestors = [...(await ancestorsOf(scope, ids)).values()].flat().map(({ id }) => id)
  return [...new Set([...ids, ...ancestors])]
}
