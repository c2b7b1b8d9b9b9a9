/** Changes of an incident by others while a user writes an update. Pure. */
import type { IncidentStatus } from '@status-page/contracts'
import type { IncidentDetail, PostedUpdate } from './queries.ts'

/** State of an incident at the start of an edit. */
export interface IncidentSnapshot {
  version: number
  status: IncidentStatus
  impact: IncidentDetail['impact']
  title: string
  /** Time of the last change of each update by its id. */
  updates: Record<string, string>
}

export type IncidentChange =
  | { kind: 'posted' | 'edited'; update: PostedUpdate }
  | { kind: 'deleted'; id: string }
  | { kind: 'status'; status: IncidentStatus }
  | { kind: 'impact'; impact: IncidentDetail['impact'] }
  | { kind: 'title'; title: string }

export const snapshotOf = (incident: IncidentDetail): IncidentSnapshot => {
  const { version, status, impact, title, updates = [] } = incident
  const times = updates.map(({ id, updatedAt }) => [id, updatedAt])
  return { version, status, impact, title, updates: Object.fromEntries(times) }
}

/** Changes since the snapshot, oldest update first; empty if only other parts have changed. */
export const changesSince = (
  snapshot: IncidentSnapshot,
  incident: IncidentDetail,
): IncidentChange[] => {
  if (incident.version === snapshot.version) return []
  const { status, impact, title, updates = [] } = incident
  const ids = new Set(updates.map(({ id }) => id))
  const deleted = Object.keys(snapshot.updates).filter((id) => !ids.has(id))
  const ofUpdates = updates.toReversed().flatMap((update): IncidentChange[] => {
    const known = snapshot.updates[update.id]
    if (known === update.updatedAt) return []
    return [{ kind: known === undefined ? 'posted' : 'edited', update }]
  })
  const ofIncident: (IncidentChange | false)[] = [
    title !== snapshot.title && { kind: 'title', title },
    impact !== snapshot.impact && { kind: 'impact', impact },
    status !== snapshot.status && { kind: 'status', status },
  ]
  return [
    ...ofIncident.filter((change) => change !== false),
    ...deleted.map((id): IncidentChange => ({ kind: 'deleted', id })),
    ...ofUpdates,
  ]
}
