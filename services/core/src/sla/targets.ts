/**
 * Response and resolution times of incidents: from their start to the first response by a user, and
 * to resolution.
 */
import {
  draftEvent,
  type EventDraft,
  type Impact,
  type SlaIncident,
  slaResolutionBreached,
  slaResponseBreached,
} from '@status-page/contracts'
import type { SlaRow } from '../tables.ts'

/** Incident with the times that its response and resolution targets are compared with. */
export interface SlaIncidentTimes {
  id: string
  title: string
  impact: Impact
  startedAt: Date
  resolvedAt: Date | null
  respondedAt: Date | null
}

export const targetKinds = ['response', 'resolution'] as const
export type TargetKind = (typeof targetKinds)[number]

type Targets = Pick<SlaRow, 'responseTargetMinutes' | 'resolutionTargetMinutes'>

const MINUTE_MS = 60_000
const SECOND_MS = 1_000

const parts: Record<
  TargetKind,
  { minutes: (sla: Targets) => number | null; at: (incident: SlaIncidentTimes) => Date | null }
> = {
  // A resolution counts as a response, even without a message or entered after the fact.
  response: {
    minutes: ({ responseTargetMinutes }) => responseTargetMinutes,
    at: ({ respondedAt, resolvedAt }) =>
      respondedAt !== null && resolvedAt !== null && respondedAt > resolvedAt
        ? resolvedAt
        : (respondedAt ?? resolvedAt),
  },
  resolution: {
    minutes: ({ resolutionTargetMinutes }) => resolutionTargetMinutes,
    at: ({ resolvedAt }) => resolvedAt,
  },
}

export interface TargetMiss {
  kind: TargetKind
  targetMinutes: number
  dueAt: Date
}

/** Targets that the incident has missed until now. */
export const missedTargets = (sla: Targets, incident: SlaIncidentTimes, now: Date): TargetMiss[] =>
  targetKinds.flatMap((kind) => {
    const targetMinutes = parts[kind].minutes(sla)
    if (targetMinutes === null) return []
    const dueAt = new Date(incident.startedAt.getTime() + targetMinutes * MINUTE_MS)
    const at = parts[kind].at(incident) ?? now
    return at > dueAt ? [{ kind, targetMinutes, dueAt }] : []
  })

export const presentSlaIncident = (
  sla: Targets,
  incident: SlaIncidentTimes,
  now: Date,
): SlaIncident => {
  const kinds = missedTargets(sla, incident, now).map(({ kind }) => kind)
  const { id, title, impact, startedAt, resolvedAt } = incident
  return {
    id,
    title,
    impact,
    startedAt: startedAt.toISOString(),
    resolvedAt: resolvedAt?.toISOString() ?? null,
    responseSeconds: secondsTo(incident, parts.response.at(incident)),
    resolutionSeconds: secondsTo(incident, resolvedAt),
    responseBreached: kinds.includes('response'),
    resolutionBreached: kinds.includes('resolution'),
  }
}

/** Seconds from the start, at least 0: an incident may start after its first response. */
const secondsTo = ({ startedAt }: SlaIncidentTimes, at: Date | null): number | null =>
  at === null ? null : Math.max(0, (at.getTime() - startedAt.getTime()) / SECOND_MS)

const events = {
  response: slaResponseBreached,
  resolution: slaResolutionBreached,
}

/** `row` must have the version of the event. */
export const targetMissedEvent = (
  row: SlaRow,
  incident: SlaIncidentTimes,
  miss: TargetMiss,
): EventDraft => {
  const { id, title, impact, startedAt } = incident
  return draftEvent(events[miss.kind], row, {
    sla: { id: row.id, name: row.name, componentIds: row.componentIds },
    incident: { id, title, impact, startedAt: startedAt.toISOString() },
    targetMinutes: miss.targetMinutes,
    dueAt: miss.dueAt.toISOString(),
  })
}
