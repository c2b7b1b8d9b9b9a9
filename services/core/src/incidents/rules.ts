/**
 * State changes of an incident: created, updated, reopened, resolved. Pure. One request makes one
 * event, one version and at most one update. POST, PATCH and handlers of check events use the same
 * rules.
 */
import {
  type ActorType,
  type ComponentStatus,
  conflict,
  type Impact,
  type IncidentSource,
  type IncidentStatus,
} from '@status-page/contracts'
import type { IncidentComponentRow, IncidentRow, IncidentUpdateRow } from '../tables.ts'
import {
  claimsOnCreation,
  claimsOnEdit,
  type IncidentClaims,
  type IncidentComponents,
  type StatusByComponentId,
} from './claims.ts'
import { type ChangedFields, correctionOf, hasOtherTimes } from './history-correction.ts'
import {
  type IncidentTimes,
  validateComponentCount,
  validateComponentsExist,
  validateTimes,
  validateUpdateCount,
} from './limits.ts'
import { applyNextUpdateChange, noNextUpdate } from './next-update.ts'

export interface IncidentState {
  incident: IncidentRow
  components: readonly IncidentComponentRow[]
  updateCount: number
}

export type IncidentChangeKind = 'created' | 'updated' | 'resolved' | 'reopened'

export interface IncidentDecision {
  incident: IncidentRow
  components: IncidentComponentRow[]
  update: IncidentUpdateRow | null
  /** Claims of the components whose status changes. */
  claims: IncidentClaims
  /** Null when nothing changes and no event is published. */
  verb: IncidentChangeKind | null
  /** True when an event is published only on request. */
  isSilent: boolean
  /** True when the change corrects the status history. */
  correctsHistory: boolean
}

export interface IncidentInput {
  id: string
  updateId: string
  organizationId: string
  title: string
  status: IncidentStatus
  impact: Impact
  message: string
  componentIds: readonly string[]
  componentStatuses: StatusByComponentId
  startedAt: Date
  /** Present in an incident that is entered after the fact. */
  resolvedAt?: Date | undefined
  nextUpdateAt: Date | null
  source: IncidentSource
  /** The component whose checks opened it. */
  triggerComponentId: string | null
}

export interface NewUpdate {
  id: string
  /** Null keeps the status of the incident. */
  status: IncidentStatus | null
  message: string
  componentStatuses: StatusByComponentId
  byPerson: boolean
}

export interface IncidentEdit {
  title?: string | undefined
  impact?: Impact | undefined
  startedAt?: Date | undefined
  resolvedAt?: Date | undefined
  componentIds?: readonly string[] | undefined
  nextUpdateAt?: Date | null | undefined
  update: NewUpdate | null
  /** True when the update is stored even without a change. */
  isAlwaysStored: boolean
}

type UpdateWithStatus = NewUpdate & { status: IncidentStatus }

export const incidentSourceOf = (actor: ActorType): IncidentSource => {
  if (actor === 'system') return 'monitor'
  return actor === 'user' ? 'manual' : 'api'
}

export const openIncident = (
  input: IncidentInput,
  live: IncidentComponents,
  now: Date,
): IncidentDecision => {
  const { id, organizationId, status, componentStatuses, startedAt, triggerComponentId } = input
  const isBackfilled = input.resolvedAt !== undefined
  const resolvedAt = status === 'resolved' ? (input.resolvedAt ?? now) : null
  validateTimes(input, { startedAt, resolvedAt, status }, now)
  const ids = union(input.componentIds, Object.keys(componentStatuses))
  validateComponentsExist(input, live, new Set())
  validateComponentCount(ids)
  const nextUpdate = { nextUpdateAt: input.nextUpdateAt, status, isUpdateByUser: false }
  const incident: IncidentRow = {
    id,
    organizationId,
    version: 1,
    title: input.title,
    status,
    impact: input.impact,
    message: input.message,
    source: input.source,
    triggerComponentId,
    startedAt,
    isAutoCreated: triggerComponentId !== null,
    autoResolved: false,
    resolvedAt,
    reopenedAt: null,
    reopenCount: 0,
    isBackfilled,
    ...applyNextUpdateChange(noNextUpdate, nextUpdate, now),
    createdAt: now,
    updatedAt: now,
  }
  const byPerson = triggerComponentId === null
  const update: UpdateWithStatus = {
    id: input.updateId,
    status,
    message: input.message,
    componentStatuses,
    byPerson,
  }
  return {
    incident,
    components: ids.map((componentId, position) =>
      incidentComponentRow(incident, liveComponent(componentId, live), position),
    ),
    update: { ...updateOf(incident, update, now), displayAt: input.resolvedAt ?? now },
    claims: isBackfilled ? new Map() : claimsOnCreation({ incident, componentStatuses }, live, now),
    verb: 'created',
    isSilent: isBackfilled,
    correctsHistory: isBackfilled,
  }
}

/** Applies an edit; every change of an existing incident passes through here. */
export const editIncident = (
  state: IncidentState,
  edit: IncidentEdit,
  live: IncidentComponents,
  now: Date,
): IncidentDecision => {
  const { incident: before } = state
  const update = effectiveUpdate(edit, before)
  const status = update?.status ?? before.status
  const verb = verbOf(before.status, status)
  const times = timesAfter(before, edit, verb, now)
  validateTimes(edit, { ...times, status }, now)
  validateComponentsExist(
    { ...edit, componentStatuses: update?.componentStatuses ?? {} },
    live,
    new Set(idsOf(state.components)),
  )
  validateUpdateCount(state, update)
  const components = editedComponents(state, edit, update, live)
  const fields = {
    title: edit.title ?? before.title,
    impact: edit.impact ?? before.impact,
    ...times,
    ...applyNextUpdateChange(
      before,
      { nextUpdateAt: edit.nextUpdateAt, status, isUpdateByUser: update?.byPerson ?? false },
      now,
    ),
  }
  const correction = correctionOf(state, edit, { fields, status, update, components })
  if (update === null && !hasEffect(state, fields, components)) {
    const unchanged = { ...correction, claims: new Map(), verb: null }
    return { ...state, components: [...components], update, ...unchanged }
  }
  const incident: IncidentRow = {
    ...before,
    ...fields,
    status,
    message: update?.message || before.message,
    version: before.version + 1,
    updatedAt: now,
  }
  return {
    incident,
    components,
    update: update === null ? null : updateOf(incident, update, now),
    claims: correction.isPast
      ? new Map()
      : claimsOnEdit(
          {
            incident,
            componentStatuses: update?.componentStatuses ?? {},
            before: idsOf(state.components),
            after: idsOf(components),
            resolves: verb === 'resolved',
          },
          live,
          now,
        ),
    verb,
    ...correction,
  }
}

export const checkVersion = (incident: IncidentRow, ifMatch: number | null): void => {
  if (ifMatch === null || ifMatch === incident.version) return
  throw conflict('version_mismatch', `The incident is at version ${incident.version}`)
}

/** Reopened takes precedence over resolved, resolved over updated. */
const verbOf = (before: IncidentStatus, after: IncidentStatus): IncidentChangeKind => {
  if (before === 'resolved' && after !== 'resolved') return 'reopened'
  return before !== 'resolved' && after === 'resolved' ? 'resolved' : 'updated'
}

type IncidentTimeFields = Pick<
  IncidentRow,
  'startedAt' | 'resolvedAt' | 'reopenedAt' | 'reopenCount' | 'autoResolved'
>

const timesAfter = (
  before: IncidentRow,
  given: IncidentTimes,
  verb: IncidentChangeKind,
  now: Date,
): IncidentTimeFields => {
  const { reopenedAt, reopenCount, autoResolved } = before
  const startedAt = given.startedAt ?? before.startedAt
  const unchanged = { startedAt, resolvedAt: before.resolvedAt, reopenedAt, reopenCount }
  if (verb === 'reopened') {
    const reopened = { reopenedAt: now, reopenCount: reopenCount + 1, autoResolved: false }
    return { ...unchanged, ...reopened, resolvedAt: null }
  }
  const resolvedAt = given.resolvedAt ?? (verb === 'resolved' ? now : before.resolvedAt)
  return { ...unchanged, resolvedAt, autoResolved }
}

/** Drops an update of a PATCH that changes nothing. */
const effectiveUpdate = (
  { update, isAlwaysStored }: IncidentEdit,
  before: IncidentRow,
): UpdateWithStatus | null => {
  if (update === null) return null
  const { message, componentStatuses } = update
  const status = update.status ?? before.status
  const isMessageUnchanged = message === '' || message === before.message
  const isEmpty = isMessageUnchanged && Object.keys(componentStatuses).length === 0
  return isEmpty && status === before.status && !isAlwaysStored ? null : { ...update, status }
}

const editedComponents = (
  { incident, components }: IncidentState,
  { componentIds }: IncidentEdit,
  update: NewUpdate | null,
  live: IncidentComponents,
): IncidentComponentRow[] => {
  const stored = new Map(components.map((row) => [row.componentId, row]))
  const ids = union(
    componentIds ?? [...stored.keys()],
    Object.keys(update?.componentStatuses ?? {}),
  )
  validateComponentCount(ids)
  return ids.map((id, position) => {
    const row = stored.get(id)
    return row === undefined
      ? incidentComponentRow(incident, liveComponent(id, live), position)
      : { ...row, position }
  })
}

const liveComponent = (id: string, live: IncidentComponents): NewlyAffectedComponent => {
  const { name = '', status = 'operational' as ComponentStatus } = live.get(id) ?? {}
  return { id, name, status }
}

/** Component as it is when an incident begins to affect it. */
export type NewlyAffectedComponent = { id: string; name: string; status: ComponentStatus }

export const incidentComponentRow = (
  { organizationId, id: incidentId }: Pick<IncidentRow, 'organizationId' | 'id'>,
  { id: componentId, name, status }: NewlyAffectedComponent,
  position: number,
): IncidentComponentRow => ({
  organizationId,
  incidentId,
  componentId,
  position,
  name,
  status,
  isFailing: false,
  isExplained: false,
  isTrigger: false,
  retainedPageIds: [],
})

const hasEffect = (
  { incident, components }: IncidentState,
  fields: ChangedFields,
  after: readonly IncidentComponentRow[],
): boolean =>
  fields.title !== incident.title ||
  fields.impact !== incident.impact ||
  hasOtherTimes(incident, fields) ||
  fields.nextUpdateAt?.getTime() !== incident.nextUpdateAt?.getTime() ||
  idsOf(components).join() !== idsOf(after).join()

const updateOf = (
  incident: IncidentRow,
  update: UpdateWithStatus,
  now: Date,
): IncidentUpdateRow => ({
  ...update,
  organizationId: incident.organizationId,
  incidentId: incident.id,
  incidentVersion: incident.version,
  componentStatuses: { ...update.componentStatuses },
  isImported: false,
  displayAt: now,
  createdAt: now,
  updatedAt: now,
})

const union = (left: readonly string[], right: readonly string[]): string[] => [
  ...new Set([...left, ...right]),
]

const idsOf = (rows: readonly IncidentComponentRow[]): string[] =>
  rows.map(({ componentId }) => componentId)
