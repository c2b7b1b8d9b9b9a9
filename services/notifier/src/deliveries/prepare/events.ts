/**
 * Loads the events of deliveries, each once per batch, with their current state: muted, deleted.
 */
import {
  type CertificateEventData,
  type DraftEventData,
  type IncidentEventData,
  incidentDeleted,
  incidentDraftClosed,
  type MaintenanceEventData,
  type MonitorEventData,
  mutedPageIds,
} from '@status-page/contracts'
import type { RawSystemScope } from '@status-page/postgres'

/** Event of a delivery; one shared object for all deliveries of a batch. */
export interface LeasedEvent {
  organizationId: string
  eventId: string
  kind: string
  aggregateId: string
  aggregateVersion: number
  payload: unknown
  occurredAt: Date
  /** W3C trace context of its handling; null without a trace. */
  traceparent: string | null
  /** The incident, maintenance or draft was deleted since. */
  isSubjectDeleted: boolean
  /** Every affected component is muted at present. */
  isMuted: boolean
  /** Pages on which every affected component is muted at present. */
  mutedPageIds: readonly string[]
}

/**
 * True when the event is muted for subscribers of the page; null stands for recipients without a
 * page.
 */
export const isMutedOn = (
  { isMuted, mutedPageIds }: Pick<LeasedEvent, 'isMuted' | 'mutedPageIds'>,
  statusPageId: string | null,
): boolean => isMuted || (statusPageId !== null && mutedPageIds.includes(statusPageId))

type Sql = RawSystemScope['sql']

/** Returns the events by `organizationScopedKey(organizationId, eventId)`. */
export const loadEvents = async (
  sql: Sql,
  wanted: readonly Pick<LeasedEvent, 'organizationId' | 'eventId'>[],
): Promise<Map<string, LeasedEvent>> => {
  const keys = new Map(
    wanted.map((one) => [organizationScopedKey(one.organizationId, one.eventId), one]),
  )
  const requested = [...keys.values()]
  const rows = await sql<Omit<LeasedEvent, keyof Mutes>[]>`
    SELECT f.organization_id AS "organizationId", f.event_id AS "eventId", f.kind,
      f.aggregate_id AS "aggregateId", f.aggregate_version AS "aggregateVersion", f.payload,
      f.occurred_at AS "occurredAt", f.traceparent,
      EXISTS (SELECT FROM fanouts gone WHERE gone.organization_id = f.organization_id
        AND gone.aggregate_id = f.aggregate_id AND gone.kind = ${incidentDeleted.kind})
      OR f.payload ? 'draft' AND EXISTS (SELECT FROM fanouts gone
        WHERE gone.organization_id = f.organization_id
          AND gone.aggregate_id = (f.payload #>> '{draft,id}')::uuid
          AND gone.kind = ${incidentDraftClosed.kind})
        AS "isSubjectDeleted"
    FROM unnest(${requested.map(({ organizationId }) => organizationId)}::uuid[],
      ${requested.map(({ eventId }) => eventId)}::uuid[]) AS wanted(organization_id, event_id)
    JOIN fanouts f USING (organization_id, event_id)`
  const mutesOf = await loadMutes(sql, rows)
  return new Map(
    rows.map((row) => [
      organizationScopedKey(row.organizationId, row.eventId),
      { ...row, ...mutesOf(row) },
    ]),
  )
}

/** Returns the first events whose payloads together have at most `maxBytes`. */
export const takeWithinBytes = async <
  Wanted extends Pick<LeasedEvent, 'organizationId' | 'eventId'>,
>(
  sql: Sql,
  wanted: readonly Wanted[],
  maxBytes: number,
): Promise<Wanted[]> => {
  const rows = await sql<{ position: number }[]>`
    SELECT position::int FROM (
      SELECT position, sum(octet_length(f.payload::text)) OVER (ORDER BY position) AS bytes
      FROM unnest(${wanted.map(({ organizationId }) => organizationId)}::uuid[],
        ${wanted.map(({ eventId }) => eventId)}::uuid[])
        WITH ORDINALITY AS wanted(organization_id, event_id, position)
      JOIN fanouts f USING (organization_id, event_id)) sized
    WHERE bytes <= ${maxBytes} ORDER BY position`
  return rows.flatMap(({ position }) => wanted[position - 1] ?? [])
}

/** Returns the ids of the events' subjects by `organizationScopedKey(organizationId, eventId)`. */
export const loadSubjectIds = async (
  sql: Sql,
  wanted: readonly Pick<LeasedEvent, 'organizationId' | 'eventId'>[],
): Promise<Map<string, string>> => {
  if (wanted.length === 0) return new Map()
  const rows = await sql<Pick<LeasedEvent, 'organizationId' | 'eventId' | 'aggregateId'>[]>`
    SELECT f.organization_id AS "organizationId", f.event_id AS "eventId",
      f.aggregate_id AS "aggregateId"
    FROM unnest(${wanted.map(({ organizationId }) => organizationId)}::uuid[],
      ${wanted.map(({ eventId }) => eventId)}::uuid[]) AS wanted(organization_id, event_id)
    JOIN fanouts f USING (organization_id, event_id)`
  return new Map(
    rows.map(({ organizationId, eventId, aggregateId }) => [
      organizationScopedKey(organizationId, eventId),
      aggregateId,
    ]),
  )
}

/** Joins with a slash, which ids do not contain. */
export const organizationScopedKey = (organizationId: string, id: string | null): string =>
  `${organizationId}/${id}`

/** The first page that shows what the event is about. */
export const firstPageIdOf = ({ payload }: LeasedEvent): string | null => {
  const { incident, maintenance } = payload as PayloadSubjects
  return (incident ?? maintenance)?.statusPageIds?.[0] ?? null
}

/** Id of the first page with the event's subject that everyone can read; null without one. */
export const firstPublicPageIdOf = ({ payload }: LeasedEvent): string | null => {
  const { incident, maintenance } = payload as PayloadSubjects
  return (incident ?? maintenance)?.pages?.find(({ isPublic }) => isPublic)?.id ?? null
}

/**
 * Returns the latest event per subject, oldest first, without deleted subjects and without those
 * muted for the reader.
 */
export const latestEventPerSubject = (
  events: readonly LeasedEvent[],
  statusPageId: string | null,
): LeasedEvent[] => {
  const inOrder = events
    .filter((event) => !event.isSubjectDeleted)
    .toSorted(
      (one, other) =>
        one.aggregateVersion - other.aggregateVersion ||
        one.occurredAt.getTime() - other.occurredAt.getTime(),
    )
  const latest = new Map(inOrder.map((event) => [event.aggregateId, event]))
  return [...latest.values()]
    .filter((event) => !isMutedOn(event, statusPageId))
    .toSorted((one, other) => one.occurredAt.getTime() - other.occurredAt.getTime())
}

interface PayloadSubjects {
  incident?: IncidentEventData
  maintenance?: MaintenanceEventData
  monitor?: MonitorEventData
  sla?: { componentIds: readonly string[] }
  certificate?: CertificateEventData
  draft?: DraftEventData
}

const componentsIn = (payload: unknown): { id: string; isMuted: boolean }[] => {
  const { incident, maintenance, monitor, sla, certificate, draft } = payload as PayloadSubjects
  const ids = sla?.componentIds ?? [monitor?.componentId ?? certificate?.componentId ?? []].flat()
  if (ids.length > 0) return ids.map((id) => ({ id, isMuted: false }))
  return (incident ?? maintenance ?? draft)?.components ?? []
}

type PayloadRow = Pick<LeasedEvent, 'organizationId' | 'payload'>

/**
 * Reads mute states from the copies of components; without a copy the event's own state applies.
 */
const loadMutes = async (sql: Sql, events: readonly PayloadRow[]) => {
  const keys = new Map(
    events.flatMap(({ organizationId, payload }) =>
      componentsIn(payload).map(({ id }) => [
        organizationScopedKey(organizationId, id),
        { organizationId, id },
      ]),
    ),
  )
  const requested = [...keys.values()]
  const copies =
    requested.length === 0
      ? []
      : await sql<{ organization_id: string; id: string; is_muted: boolean }[]>`
          SELECT organization_id, id, c.is_muted FROM unnest(
            ${requested.map(({ organizationId }) => organizationId)}::uuid[],
            ${requested.map(({ id }) => id)}::uuid[]) AS asked(organization_id, id)
          JOIN components c USING (organization_id, id)`
  const copied = new Map(
    copies.map((one) => [organizationScopedKey(one.organization_id, one.id), one.is_muted]),
  )
  return ({ organizationId, payload }: PayloadRow): Mutes => {
    const muted = componentsIn(payload).map(
      ({ id, isMuted }) => copied.get(organizationScopedKey(organizationId, id)) ?? isMuted,
    )
    const { incident, maintenance } = payload as PayloadSubjects
    const data = incident ?? maintenance
    return {
      isMuted: muted.length > 0 && muted.every((one) => one),
      mutedPageIds:
        data === undefined || !muted.includes(true)
          ? []
          : mutedPageIds(data, (position) => muted[position] === true),
    }
  }
}

type Mutes = Pick<LeasedEvent, 'isMuted' | 'mutedPageIds'>
