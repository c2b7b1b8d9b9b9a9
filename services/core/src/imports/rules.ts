/** Rows of an import that are not stored yet. Pure; no events are published for them. */
import {
  type IncidentStatus,
  isMaintenanceActive,
  MAX_INCIDENT_UPDATES,
  type MaintenanceStatus,
} from '@status-page/contracts'
import type { StatusByComponentId } from '../incidents/claims.ts'
import { incidentComponentRow, type NewlyAffectedComponent } from '../incidents/rules.ts'
import { withDueTime } from '../maintenances/due-times.ts'
import { planDefaults } from '../maintenances/state.ts'
import type {
  IncidentComponentRow,
  IncidentRow,
  IncidentUpdateRow,
  MaintenanceComponentRow,
  MaintenanceRow,
  MaintenanceUpdateRow,
  PostmortemRow,
} from '../tables.ts'
import type { SourceComponentInput } from './source/components.ts'
import type {
  SourceIncidentInput,
  SourceMaintenanceInput,
  SourceUpdateInput,
} from './source/incidents.ts'

/** Record that this import or an earlier one created. */
export interface ImportedRecord {
  recordId: string
  updateIds: readonly string[]
}

export interface SourcePlan<Item> {
  created: Item[]
  /** Existing records with the updates that are new at the source. */
  updated: { item: Item; recordId: string; newUpdateIds: string[] }[]
  unchanged: number
}

export const planSourceRecords = <
  Item extends { sourceId: string; updates?: { sourceId: string }[] },
>(
  all: readonly Item[],
  known: ReadonlyMap<string, ImportedRecord>,
): SourcePlan<Item> => {
  const plan: SourcePlan<Item> = { created: [], updated: [], unchanged: 0 }
  for (const item of all) {
    const imported = known.get(item.sourceId)
    const seen = new Set(imported?.updateIds)
    const newUpdates = (item.updates ?? [])
      .map(({ sourceId }) => sourceId)
      .filter((id) => !seen.has(id))
    if (imported === undefined) plan.created.push(item)
    else if (newUpdates.length === 0) plan.unchanged++
    else plan.updated.push({ item, recordId: imported.recordId, newUpdateIds: newUpdates })
  }
  return plan
}

/** Components, by their ids at the source, whose status is the claim of an active maintenance. */
export const componentsInMaintenance = (
  components: readonly Pick<SourceComponentInput, 'sourceId' | 'status'>[],
  maintenances: readonly SourceMaintenanceInput[],
): Set<string> => {
  const listed = maintenances
    .filter(isMaintenanceActive)
    .flatMap((maintenance) => maintenance.componentSourceIds)
  const shown = components.filter(({ status }) => status === 'under_maintenance')
  return new Set(listed).intersection(new Set(shown.map(({ sourceId }) => sourceId)))
}

/** Latest status that updates report for each component. */
export const reportedStatuses = (
  updates: readonly Pick<IncidentUpdateRow, 'componentStatuses'>[],
): StatusByComponentId => {
  const latest = new Map(
    updates.flatMap(({ componentStatuses }) => Object.entries(componentStatuses)),
  )
  return Object.fromEntries(
    [...latest].flatMap(([id, status]) => (status === 'under_maintenance' ? [] : [[id, status]])),
  )
}

/** Existing components, by their id at the source. */
export type ImportedComponents = ReadonlyMap<string, NewlyAffectedComponent>

interface RowIdentity {
  organizationId: string
  newId: () => string
}

export interface IncidentRows {
  incident: IncidentRow
  components: IncidentComponentRow[]
  updates: IncidentUpdateRow[]
  postmortem: PostmortemRow | null
}

export const incidentRows = (
  item: SourceIncidentInput,
  imported: ImportedComponents,
  identity: RowIdentity,
): IncidentRows => {
  const { organizationId, newId } = identity
  const id = newId()
  const { title, status, impact, startedAt, resolvedAt, createdAt, updatedAt, updates } = item
  const incident: IncidentRow = {
    id,
    organizationId,
    title,
    status,
    impact,
    startedAt,
    resolvedAt,
    createdAt,
    updatedAt,
    version: updates.length,
    message: newestMessage(updates),
    source: 'api',
    isAutoCreated: false,
    triggerComponentId: null,
    autoResolved: false,
    reopenedAt: null,
    reopenCount: 0,
    isBackfilled: resolvedAt !== null,
    nextUpdateAt: null,
    overdueNotified: false,
  }
  const { postmortem } = item
  const emptyFields = {
    rootCause: null,
    impact: null,
    resolution: null,
    timeline: [],
    actionItems: [],
  }
  return {
    incident,
    components: componentsIn(item, imported).map((component, position) =>
      incidentComponentRow(incident, component, position),
    ),
    updates: incidentUpdateRows({ incidentId: id, version: 0 }, updates, imported, identity),
    postmortem:
      postmortem === null
        ? null
        : {
            id: newId(),
            organizationId,
            incidentId: id,
            ...postmortem,
            ...emptyFields,
            createdAt: postmortem.publishedAt ?? updatedAt,
            updatedAt: postmortem.publishedAt ?? updatedAt,
          },
  }
}

/** Components that the incident affects at the source and does not list yet. */
export const addedComponents = (
  { incident, components }: { incident: IncidentRow; components: readonly IncidentComponentRow[] },
  item: SourceIncidentInput,
  imported: ImportedComponents,
): IncidentComponentRow[] => {
  const listed = new Set(components.map(({ componentId }) => componentId))
  return componentsIn(item, imported)
    .filter(({ id }) => !listed.has(id))
    .map((component, index) => incidentComponentRow(incident, component, components.length + index))
}

/** `version` is the version of the incident before these updates. */
export const incidentUpdateRows = (
  { incidentId, version }: { incidentId: string; version: number },
  updates: readonly SourceUpdateInput<IncidentStatus>[],
  imported: ImportedComponents,
  { organizationId, newId }: RowIdentity,
): IncidentUpdateRow[] =>
  updates.map((update, index) => ({
    id: newId(),
    organizationId,
    incidentId,
    incidentVersion: version + index + 1,
    status: update.status,
    message: update.message,
    byPerson: true,
    isImported: true,
    componentStatuses: Object.fromEntries(
      Object.entries(update.componentStatuses).flatMap(([sourceId, status]) => {
        const component = imported.get(sourceId)
        return component === undefined ? [] : [[component.id, status]]
      }),
    ),
    displayAt: update.displayAt,
    createdAt: update.at,
    updatedAt: update.at,
  }))

/** Incident after further updates of the source; the last update determines its status. */
export const incidentWithUpdates = (
  before: IncidentRow,
  {
    item,
    newUpdates,
  }: { item: SourceIncidentInput; newUpdates: readonly SourceUpdateInput<IncidentStatus>[] },
  now: Date,
): IncidentRow => {
  const status = newUpdates.at(-1)?.status ?? before.status
  const resolvedAt = status === 'resolved' ? (before.resolvedAt ?? item.resolvedAt ?? now) : null
  return {
    ...before,
    status,
    resolvedAt,
    version: before.version + newUpdates.length,
    updatedAt: now,
    message: newestMessage(newUpdates) || before.message,
    nextUpdateAt: status === 'resolved' ? null : before.nextUpdateAt,
  }
}

/** Number of updates that an incident can still take before it reaches the limit. */
export const remainingUpdateCount = (version: number): number =>
  Math.max(0, MAX_INCIDENT_UPDATES - version)

export interface MaintenanceRows {
  maintenance: MaintenanceRow
  components: MaintenanceComponentRow[]
  updates: MaintenanceUpdateRow[]
}

/** Rows of a maintenance; an upcoming one is started and completed by the job like any other. */
export const maintenanceRows = (
  item: SourceMaintenanceInput,
  imported: ImportedComponents,
  identity: RowIdentity & { now: Date },
): MaintenanceRows => {
  const { organizationId, newId, now } = identity
  const id = newId()
  const { title, status, scheduledFor, scheduledUntil, createdAt, updatedAt, updates } = item
  const components = componentsIn(item, imported).map((component, position) => ({
    organizationId,
    maintenanceId: id,
    position,
    componentId: component.id,
    name: component.name,
    status: component.status,
    retainedPageIds: [],
  }))
  const message = newestMessage(updates)
  const maintenance = withDueTime({
    id,
    organizationId,
    title,
    status,
    scheduledFor,
    scheduledUntil,
    createdAt,
    updatedAt,
    version: updates.length,
    ...planDefaults,
    message,
    planMessage: message,
    remindedAt: now,
    startedAt: status === 'scheduled' ? null : scheduledFor,
    completedAt: status === 'completed' ? (updates.at(-1)?.at ?? scheduledUntil) : null,
    cancelledAt: null,
    recurrence: null,
    recurrenceOf: null,
    occurrenceAt: null,
    nextOccurrenceAt: null,
    dueAt: null,
    leaseUntil: null,
    componentIds: components.map(({ componentId }) => componentId),
  })
  return {
    maintenance,
    components,
    updates: maintenanceUpdateRows({ maintenanceId: id, version: 0 }, updates, identity),
  }
}

export const maintenanceUpdateRows = (
  { maintenanceId, version }: { maintenanceId: string; version: number },
  updates: readonly SourceUpdateInput<MaintenanceStatus>[],
  { organizationId, newId }: RowIdentity,
): MaintenanceUpdateRow[] =>
  updates.map((update, index) => ({
    id: newId(),
    organizationId,
    maintenanceId,
    maintenanceVersion: version + index + 1,
    status: update.status,
    message: update.message,
    displayAt: update.displayAt,
    createdAt: update.at,
    updatedAt: update.at,
  }))

/** Maintenance with the current times of the source, unless it was cancelled here. */
export const maintenanceWithUpdates = (
  before: MaintenanceRow,
  newUpdates: readonly SourceUpdateInput<MaintenanceStatus>[],
  now: Date,
): MaintenanceRow => {
  const last = newUpdates.at(-1)
  const isOpen = before.status !== 'completed' && before.status !== 'cancelled'
  const status = isOpen ? (last?.status ?? before.status) : before.status
  return withDueTime({
    ...before,
    status,
    version: before.version + newUpdates.length,
    updatedAt: now,
    message: newestMessage(newUpdates) || before.message,
    startedAt: status === 'scheduled' ? before.startedAt : (before.startedAt ?? last?.at ?? now),
    completedAt: status === 'completed' ? (before.completedAt ?? last?.at ?? now) : null,
  })
}

const componentsIn = (
  { componentSourceIds }: { componentSourceIds: string[] },
  imported: ImportedComponents,
) => componentSourceIds.flatMap((sourceId) => imported.get(sourceId) ?? [])

const newestMessage = (updates: readonly { message: string }[]): string =>
  updates.findLast(({ message }) => message !== '')?.message ?? ''
