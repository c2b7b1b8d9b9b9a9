/** Converts public data to the field names of the Statuspage API. Pure. */
import type {
  ComponentStatus,
  PublicIncident,
  PublicMaintenance,
  PublicStatus,
  StatuspageComponent,
  StatuspageIncident,
  StatuspageMaintenance,
} from '@status-page/contracts'
import { type ShownComponent, shownStatus } from '../settings/shown-components.ts'

export type StatuspageComponents = ReadonlyMap<string, StatuspageComponent>

export const toStatuspagePage = ({ id, name, url, timezone, updatedAt }: PublicStatus['page']) => ({
  id,
  name,
  url,
  time_zone: timezone,
  updated_at: updatedAt,
})

/**
 * Components in the order of the page. Parents are groups, under which clients list their children.
 */
export const toStatuspageComponents = (
  shown: ReadonlyMap<string, ShownComponent>,
  pageId: string,
): StatuspageComponents => {
  const all = [...shown.values()]
  const children = Map.groupBy(all, ({ parentId }) => parentId)
  const entries = all.map((shownComponent, index) => {
    const below = children.get(shownComponent.component.id) ?? []
    return [
      shownComponent.component.id,
      componentOf(shownComponent, { position: index + 1, pageId, below }),
    ] as const
  })
  return new Map(entries)
}

const componentOf = (
  shownComponent: ShownComponent,
  {
    position,
    pageId,
    below,
  }: { position: number; pageId: string; below: readonly ShownComponent[] },
): StatuspageComponent => {
  const { id, description, createdAt, statusChangedAt } = shownComponent.component
  const changed = Math.max(createdAt.getTime(), statusChangedAt.getTime())
  const isGroup = below.length > 0
  return {
    id,
    name: shownComponent.name,
    status: shownStatus(shownComponent),
    position,
    description,
    page_id: pageId,
    created_at: createdAt.toISOString(),
    updated_at: new Date(changed).toISOString(),
    showcase: true,
    only_show_if_degraded: false,
    start_date: createdAt.toISOString().slice(0, 'yyyy-mm-dd'.length),
    group_id: shownComponent.parentId,
    group: isGroup,
    ...(isGroup ? { components: below.map(({ component }) => component.id) } : {}),
  }
}

export const toStatuspageIncident = (
  incident: PublicIncident,
  { components, pageId }: { components: StatuspageComponents; pageId: string },
): StatuspageIncident => {
  const { id, title, status, impact, createdAt, updatedAt, resolvedAt, startedAt, url } = incident
  const monitored = incident.updates.findLast((update) => update.status === 'monitoring')
  return {
    id,
    name: title,
    status,
    impact,
    shortlink: url,
    page_id: pageId,
    // A backfilled incident is created after it was resolved; clients expect the reverse order.
    created_at: resolvedAt !== null && resolvedAt < createdAt ? startedAt : createdAt,
    updated_at: updatedAt,
    started_at: startedAt,
    monitoring_at: monitored?.createdAt ?? null,
    resolved_at: resolvedAt,
    components: listedComponents(incident.components, components),
    incident_updates: updatesOf(incident),
  }
}

const listedComponents = (list: readonly { id: string }[], components: StatuspageComponents) =>
  list.flatMap(({ id }) => components.get(id) ?? [])

/** Updates, newest first; the old status of a component is its status in the previous update. */
const updatesOf = ({ id: incidentId, updates }: PublicIncident) => {
  /** Status of each component in the updates read so far. */
  const before = new Map<string, ComponentStatus>()
  const oldestFirst = updates.toReversed().map((update) => {
    const { id, status, message, components, createdAt } = update
    const affected = components.map(({ id: code, name, status: newStatus }) => ({
      code,
      name,
      new_status: newStatus,
      old_status: before.get(code) ?? ('operational' as const),
    }))
    for (const component of components) before.set(component.id, component.status)
    return {
      id,
      status,
      body: message,
      incident_id: incidentId,
      created_at: createdAt,
      updated_at: createdAt,
      display_at: createdAt,
      affected_components: affected,
    }
  })
  return oldestFirst.reverse()
}

export const toStatuspageMaintenance = (
  maintenance: PublicMaintenance,
  { components, pageId }: { components: StatuspageComponents; pageId: string },
): StatuspageMaintenance => {
  const { id, title, status, createdAt, updatedAt, url } = maintenance
  const { scheduledFor, scheduledUntil, startedAt, completedAt } = maintenance
  return {
    id,
    name: title,
    status,
    impact: 'maintenance',
    shortlink: url,
    page_id: pageId,
    created_at: createdAt,
    updated_at: updatedAt,
    started_at: startedAt ?? scheduledFor,
    monitoring_at: null,
    resolved_at: completedAt,
    scheduled_for: scheduledFor,
    scheduled_until: scheduledUntil,
    components: listedComponents(maintenance.components, components),
    incident_updates: maintenance.updates.map((update) => ({
      id: update.id,
      status: update.status,
      body: update.message,
      incident_id: id,
      created_at: update.createdAt,
      updated_at: update.createdAt,
      display_at: update.createdAt,
      affected_components: [],
    })),
  }
}
