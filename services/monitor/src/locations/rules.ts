/** Rules of private locations: their state, the limits, and which agent checks a target. */
import {
  type Agent,
  type AuditDraft,
  conflict,
  draftAudit,
  ENROLMENT_HOURS,
  MAX_AGENTS_PER_LOCATION,
  MAX_PRIVATE_LOCATIONS,
  type PrivateLocation,
  privateLocationOf,
  STALE_LOCATION_SECONDS,
} from '@status-page/contracts'

const HOUR_MS = 3_600_000

interface LocationState {
  id: string
  name: string
  description: string | null
  enrolmentExpiresAt: Date
  lastContactAt: Date | null
  createdAt: Date
  updatedAt: Date
}

interface AgentState {
  id: string
  name: string
  version: string
  canPing: boolean
  lagSeconds: number
  lastContactAt: Date
  createdAt: Date
}

export const enrolmentExpiryOf = (now: Date): Date =>
  new Date(now.getTime() + ENROLMENT_HOURS * HOUR_MS)

export const isStale = (lastContactAt: Date, now: Date): boolean =>
  now.getTime() - lastContactAt.getTime() > STALE_LOCATION_SECONDS * 1000

export const locationReplyOf = (
  location: LocationState,
  agents: readonly AgentState[],
  now: Date,
): PrivateLocation => {
  const { id, name, description, lastContactAt } = location
  return {
    id,
    name,
    location: privateLocationOf(name),
    description,
    status: lastContactAt === null ? 'waiting' : isStale(lastContactAt, now) ? 'stale' : 'active',
    lastContactAt: lastContactAt?.toISOString() ?? null,
    agents: agents.map((agent) => agentReplyOf(agent, now)),
    enrolmentExpiresAt: location.enrolmentExpiresAt.toISOString(),
    createdAt: location.createdAt.toISOString(),
    updatedAt: location.updatedAt.toISOString(),
  }
}

const agentReplyOf = (agent: AgentState, now: Date): Agent => {
  const { id, name, version, canPing, lagSeconds, lastContactAt, createdAt } = agent
  return {
    id,
    name,
    version,
    canPing,
    lagSeconds,
    lastContactAt: lastContactAt.toISOString(),
    isStale: isStale(lastContactAt, now),
    createdAt: createdAt.toISOString(),
  }
}

export const validateLocationCount = (count: number): void => {
  if (count < MAX_PRIVATE_LOCATIONS) return
  const message = `An organization has at most ${MAX_PRIVATE_LOCATIONS} private locations`
  throw conflict('invalid_state', message)
}

export const validateAgentCount = (count: number): void => {
  if (count < MAX_AGENTS_PER_LOCATION) return
  const message = `The location has ${MAX_AGENTS_PER_LOCATION} agents: revoke one first`
  throw conflict('invalid_state', message)
}

type LocationAction =
  | 'location.create'
  | 'location.delete'
  | 'location.rotate_enrolment_token'
  | 'agent.enrol'
  | 'agent.delete'

export const locationAudit = (
  action: LocationAction,
  entity: { id: string; name: string },
  changes: AuditDraft['changes'] = {},
): AuditDraft => draftAudit(action, entity, changes)

/**
 * Agent that checks a target: the highest score of a rendezvous hash, so that only the targets of
 * an agent that came or went move to another one.
 */
export const agentFor = (
  componentId: string,
  agentIds: readonly string[],
  scoreOf: (text: string) => number,
): string | null => {
  let best: { id: string; score: number } | null = null
  for (const id of agentIds) {
    const score = scoreOf(`${id}:${componentId}`)
    if (best === null || score > best.score) best = { id, score }
  }
  return best?.id ?? null
}
