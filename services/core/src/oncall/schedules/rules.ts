/** What becomes of an on-call schedule and its overrides. Pure; who is on call is in `rotation.ts`. */
import {
  type AuditDraft,
  changesBetween,
  conflict,
  type EscalationStep,
  invalid,
  MAX_ONCALL_DAYS,
  MAX_OVERRIDES,
  type NewLayer,
  NewOncallSchedule,
  type OncallLayer,
  type OncallSchedulePatch,
} from '@status-page/contracts'
import { areSame, defaultsOf, fill, only } from '../../fields.ts'
import type { OncallOverrideRow, OncallScheduleRow } from '../../tables.ts'
import { DAY_MS } from './rotation.ts'

const fields = [
  'name',
  'description',
  'timezone',
  'componentIds',
  'events',
  'isEnabled',
  'layers',
  'escalation',
] as const

type Definition = Pick<OncallScheduleRow, (typeof fields)[number]>

export interface Named {
  componentIds: readonly string[]
  userIds: readonly string[]
  channelIds: readonly string[]
}

/** Those of the named ids that exist. */
export type ScheduleReferences = { readonly [Field in keyof Named]: ReadonlySet<string> }

/** What the rules cannot make by themselves. */
export interface ScheduleContext {
  known: ScheduleReferences
  newId: () => string
  now: Date
}

export const createSchedule = (
  made: { id: string; organizationId: string; body: NewOncallSchedule },
  circumstances: ScheduleContext,
): OncallScheduleRow => {
  const { id, organizationId, body } = made
  const { now } = circumstances
  return {
    id,
    organizationId,
    createdAt: now,
    updatedAt: now,
    ...define(body, null, circumstances),
  }
}

/** The same row when the PATCH has no effect. */
export const changeSchedule = (
  row: OncallScheduleRow,
  patch: OncallSchedulePatch,
  circumstances: ScheduleContext,
): OncallScheduleRow => {
  const after = { ...row, ...define(patch, row, circumstances) }
  return areSame(fields, row, after) ? row : { ...after, updatedAt: circumstances.now }
}

/** Ids that the input names, for the stores to look up. */
export const namedIn = (body: NewOncallSchedule | OncallSchedulePatch): Named => ({
  componentIds: body.componentIds ?? [],
  userIds: [
    ...(body.layers ?? []).flatMap(({ userIds }) => userIds),
    ...(body.escalation ?? []).flatMap(({ targets }) => targets.flatMap(userOf)),
  ],
  channelIds: (body.escalation ?? []).flatMap(({ targets }) => targets.flatMap(channelOf)),
})

const idAfter =
  (prefix: string) =>
  (target: string): string[] =>
    target.startsWith(prefix) ? [target.slice(prefix.length)] : []

/** The user that a target names, if it is one. */
export const userOf = idAfter('user:')
export const channelOf = idAfter('channel:')

const defaults = defaultsOf(NewOncallSchedule.properties)

const define = (
  given: NewOncallSchedule | OncallSchedulePatch,
  stored: OncallScheduleRow | null,
  circumstances: ScheduleContext,
): Definition => {
  const definition = fill<Definition>(fields, { given, stored: stored ?? {}, defaults })
  const known = withStored(circumstances.known, stored)
  checkComponents(definition.componentIds, known)
  checkEscalation(definition.escalation, known)
  if (given.layers === undefined || given.layers === null) return definition
  const layers = layersOf(given.layers, stored?.layers ?? [], circumstances)
  checkLayers(layers, known)
  return { ...definition, layers }
}

/** A stored id may be sent back, though who or what it names is gone. */
const withStored = (
  known: ScheduleReferences,
  stored: OncallScheduleRow | null,
): ScheduleReferences => {
  if (stored === null) return known
  const { componentIds, userIds, channelIds } = namedIn(stored)
  return {
    componentIds: known.componentIds.union(new Set(componentIds)),
    userIds: known.userIds.union(new Set(userIds)),
    channelIds: known.channelIds.union(new Set(channelIds)),
  }
}

const layersOf = (
  given: readonly NewLayer[],
  stored: readonly OncallLayer[],
  { newId, now }: ScheduleContext,
): OncallLayer[] => {
  const ids = new Set(stored.map(({ id }) => id))
  return given.map((layer, index) => ({
    // Each id goes to the first that claims it.
    id: layer.id !== undefined && ids.delete(layer.id) ? layer.id : newId(),
    name: layer.name ?? `Layer ${index + 1}`,
    order: layer.order ?? index,
    startsAt: layer.startsAt ?? now.toISOString(),
    endsAt: layer.endsAt ?? null,
    rotationInterval: layer.rotationInterval ?? 'weekly',
    rotationLength: layer.rotationLength ?? 1,
    handoffTime: layer.handoffTime ?? '00:00',
    userIds: layer.userIds,
    restrictions: layer.restrictions ?? [],
  }))
}

const checkLayers = (layers: readonly OncallLayer[], { userIds }: ScheduleReferences): void => {
  for (const [index, layer] of layers.entries()) {
    const unknown = layer.userIds.findIndex((id) => !userIds.has(id))
    if (unknown !== -1) throw namesNothing(`layers[${index}].userIds[${unknown}]`, 'member')
    if (layer.endsAt !== null && layer.endsAt <= layer.startsAt) {
      const field = `layers[${index}].endsAt`
      throw invalid({ field, message: `${field} must be after startsAt` })
    }
  }
}

const checkComponents = (ids: readonly string[], { componentIds }: ScheduleReferences): void => {
  const unknown = ids.findIndex((id) => !componentIds.has(id))
  if (unknown !== -1) throw namesNothing(`componentIds[${unknown}]`, 'component')
}

const checkEscalation = (steps: readonly EscalationStep[], known: ScheduleReferences): void => {
  for (const [index, { delayMinutes, targets }] of steps.entries()) {
    const before = steps[index - 1]
    if (before !== undefined && delayMinutes <= before.delayMinutes) {
      const field = `escalation[${index}].delayMinutes`
      throw invalid({ field, message: `${field} must be greater than that of the previous step` })
    }
    for (const [place, target] of targets.entries()) {
      const field = `escalation[${index}].targets[${place}]`
      const isUnknown = (ids: string[], those: ReadonlySet<string>) =>
        ids.some((id) => !those.has(id))
      if (isUnknown(userOf(target), known.userIds)) throw namesNothing(field, 'member')
      if (isUnknown(channelOf(target), known.channelIds)) {
        throw namesNothing(field, 'notification channel')
      }
    }
  }
}

const namesNothing = (field: string, noun: string) =>
  invalid({ field, message: `${field}: ${noun} does not exist` })

export const addOverride = (
  row: OncallOverrideRow,
  unfinished: number,
  isMember: boolean,
): OncallOverrideRow => {
  const { startsAt, endsAt, createdAt: now } = row
  if (!isMember) throw namesNothing('userId', 'member')
  const refuse = (message: string) => invalid({ field: 'endsAt', message: `endsAt ${message}` })
  if (endsAt <= startsAt) throw refuse('must be after startsAt')
  if (endsAt.getTime() - startsAt.getTime() > MAX_ONCALL_DAYS * DAY_MS) {
    throw refuse(`must be at most ${MAX_ONCALL_DAYS} days after startsAt`)
  }
  if (endsAt <= now) throw refuse('must be in the future')
  if (unfinished >= MAX_OVERRIDES) {
    throw conflict(
      'invalid_state',
      `A schedule can have at most ${MAX_OVERRIDES} unfinished overrides`,
    )
  }
  return row
}

type AuditVerb = 'create' | 'update' | 'delete'

export const auditSchedule = (
  verb: AuditVerb,
  before: OncallScheduleRow | null,
  after: OncallScheduleRow,
): AuditDraft => ({
  action: `oncall_schedule.${verb}`,
  entityType: 'oncall_schedule',
  entityId: after.id,
  entityName: after.name,
  changes:
    verb === 'delete' ? {} : changesBetween(before && only(fields, before), only(fields, after)),
})

export const auditOverride = (
  verb: Exclude<AuditVerb, 'update'>,
  { id, userId, startsAt, endsAt }: OncallOverrideRow,
  { name }: OncallScheduleRow,
): AuditDraft => ({
  action: `oncall_override.${verb}`,
  entityType: 'oncall_override',
  entityId: id,
  entityName: name,
  changes:
    verb === 'delete'
      ? {}
      : changesBetween(null, {
          userId,
          startsAt: startsAt.toISOString(),
          endsAt: endsAt.toISOString(),
        }),
})
