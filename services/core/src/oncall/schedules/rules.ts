/**
 * Rules of on-call schedules and overrides: validation, defaults, changes. Pure. `rotation.ts`
 * computes who is on call.
 */
import {
  auditChanges,
  comparisonIssue,
  conflict,
  type EscalationStep,
  invalid,
  MAX_ONCALL_DAYS,
  MAX_OVERRIDES,
  type NewLayer,
  NewOncallSchedule,
  type OncallLayer,
  type OncallOverridePatch,
  type OncallSchedulePatch,
  ruleIssue,
} from '@status-page/contracts'
import { fieldDefaults, fillFields, haveEqualFields, pickFields } from '../../fields.ts'
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

export interface ReferencedIds {
  componentIds: readonly string[]
  userIds: readonly string[]
  channelIds: readonly string[]
}

/** Referenced ids that exist. */
export type ScheduleReferences = { readonly [Field in keyof ReferencedIds]: ReadonlySet<string> }

/** Inputs from outside: existing references, ids and the time. */
export interface ScheduleContext {
  known: ScheduleReferences
  newId: () => string
  now: Date
}

export const createSchedule = (
  input: { id: string; organizationId: string; body: NewOncallSchedule; managedByConfig: boolean },
  context: ScheduleContext,
): OncallScheduleRow => {
  const { id, organizationId, body, managedByConfig } = input
  const { now } = context
  return {
    id,
    organizationId,
    version: 1,
    managedByConfig,
    createdAt: now,
    updatedAt: now,
    ...buildDefinition(body, null, context),
  }
}

/** Returns the same row if the PATCH has no effect. */
export const changeSchedule = (
  row: OncallScheduleRow,
  patch: OncallSchedulePatch,
  context: ScheduleContext,
): OncallScheduleRow => {
  const after = { ...row, ...buildDefinition(patch, row, context) }
  if (haveEqualFields(fields, row, after)) return row
  return { ...after, version: row.version + 1, updatedAt: context.now }
}

export const checkVersion = ({ version }: OncallScheduleRow, ifMatch: number | null): void => {
  if (ifMatch === null || ifMatch === version) return
  throw conflict('version_mismatch', `The schedule is at version ${version}`)
}

/** Ids of components, users and channels that the input references. */
export const referencedIds = (body: NewOncallSchedule | OncallSchedulePatch): ReferencedIds => ({
  componentIds: body.componentIds ?? [],
  userIds: [
    ...(body.layers ?? []).flatMap(({ userIds }) => userIds),
    ...(body.escalation ?? []).flatMap(({ targets }) => targets.flatMap(targetUserIds)),
  ],
  channelIds: (body.escalation ?? []).flatMap(({ targets }) => targets.flatMap(targetChannelIds)),
})

const idAfterPrefix =
  (prefix: string) =>
  (target: string): string[] =>
    target.startsWith(prefix) ? [target.slice(prefix.length)] : []

/** Id of the user that a target references; empty for other targets. */
export const targetUserIds = idAfterPrefix('user:')
export const targetChannelIds = idAfterPrefix('channel:')

const defaults = fieldDefaults(NewOncallSchedule.properties)

const buildDefinition = (
  input: NewOncallSchedule | OncallSchedulePatch,
  stored: OncallScheduleRow | null,
  context: ScheduleContext,
): Definition => {
  const definition = fillFields<Definition>(fields, {
    given: input,
    stored: stored ?? {},
    defaults,
  })
  const known = withStored(context.known, stored)
  validateComponents(definition.componentIds, known)
  validateEscalation(definition.escalation, known)
  if (input.layers === undefined || input.layers === null) return definition
  const layers = layersOf(input.layers, stored?.layers ?? [], context)
  validateLayers(layers, known)
  return { ...definition, layers }
}

/** Accepts stored ids again, even when the user, channel or component was deleted. */
const withStored = (
  known: ScheduleReferences,
  stored: OncallScheduleRow | null,
): ScheduleReferences => {
  if (stored === null) return known
  const { componentIds, userIds, channelIds } = referencedIds(stored)
  return {
    componentIds: known.componentIds.union(new Set(componentIds)),
    userIds: known.userIds.union(new Set(userIds)),
    channelIds: known.channelIds.union(new Set(channelIds)),
  }
}

const layersOf = (
  input: readonly NewLayer[],
  stored: readonly OncallLayer[],
  { newId, now }: ScheduleContext,
): OncallLayer[] => {
  const ids = new Set(stored.map(({ id }) => id))
  return input.map((layer, index) => ({
    // A repeated id goes to the first layer that uses it.
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

const validateLayers = (layers: readonly OncallLayer[], { userIds }: ScheduleReferences): void => {
  for (const [index, layer] of layers.entries()) {
    const unknown = layer.userIds.findIndex((id) => !userIds.has(id))
    if (unknown !== -1) throw unknownReference(`layers[${index}].userIds[${unknown}]`)
    if (layer.endsAt !== null && layer.endsAt <= layer.startsAt) {
      throw invalid(comparisonIssue(`layers[${index}].endsAt`, 'after', 'startsAt'))
    }
  }
}

const validateComponents = (ids: readonly string[], { componentIds }: ScheduleReferences): void => {
  const unknown = ids.findIndex((id) => !componentIds.has(id))
  if (unknown !== -1) throw unknownReference(`componentIds[${unknown}]`)
}

const validateEscalation = (steps: readonly EscalationStep[], known: ScheduleReferences): void => {
  for (const [index, { delayMinutes, targets }] of steps.entries()) {
    const before = steps[index - 1]
    if (before !== undefined && delayMinutes <= before.delayMinutes) {
      const field = `escalation[${index}].delayMinutes`
      throw invalid({ field, message: `${field} must be greater than that of the previous step` })
    }
    for (const [targetIndex, target] of targets.entries()) {
      const field = `escalation[${index}].targets[${targetIndex}]`
      const isUnknown = (ids: string[], existing: ReadonlySet<string>) =>
        ids.some((id) => !existing.has(id))
      if (
        isUnknown(targetUserIds(target), known.userIds) ||
        isUnknown(targetChannelIds(target), known.channelIds)
      ) {
        throw unknownReference(field)
      }
    }
  }
}

const unknownReference = (field: string) => invalid(ruleIssue(field, 'exists'))

export const validateOverride = (
  { startsAt, endsAt }: OncallOverrideRow,
  context: { isMember: boolean; unfinishedOverrides: number; now: Date },
): void => {
  const { isMember, unfinishedOverrides, now } = context
  if (!isMember) throw unknownReference('userId')
  if (endsAt <= startsAt) throw invalid(comparisonIssue('endsAt', 'after', 'startsAt'))
  if (endsAt.getTime() - startsAt.getTime() > MAX_ONCALL_DAYS * DAY_MS) {
    const message = `An override can last at most ${MAX_ONCALL_DAYS} days`
    throw invalid({ field: 'endsAt', message })
  }
  if (endsAt <= now) throw invalid(ruleIssue('endsAt', 'future'))
  if (unfinishedOverrides >= MAX_OVERRIDES) {
    throw conflict(
      'invalid_state',
      `A schedule can have at most ${MAX_OVERRIDES} unfinished overrides`,
    )
  }
}

export const scheduleFields = (row: OncallScheduleRow): Definition => pickFields(fields, row)

export const auditSchedule = auditChanges('oncall_schedule', scheduleFields)

/** Returns the same row if the PATCH has no effect. */
export const changeOverride = (
  row: OncallOverrideRow,
  { userId, startsAt, endsAt }: OncallOverridePatch,
  now: Date,
): OncallOverrideRow => {
  const after = {
    ...row,
    userId: userId ?? row.userId,
    startsAt: startsAt === undefined ? row.startsAt : new Date(startsAt),
    endsAt: endsAt === undefined ? row.endsAt : new Date(endsAt),
  }
  const isSame = haveEqualFields(['userId', 'startsAt', 'endsAt'], row, after)
  return isSame ? row : { ...after, updatedAt: now }
}

/** Override with the name of its schedule. */
type NamedOverride = OncallOverrideRow & { name: string }

export const auditOverride = auditChanges(
  'oncall_override',
  ({ userId, startsAt, endsAt }: NamedOverride) => ({
    userId,
    startsAt: startsAt.toISOString(),
    endsAt: endsAt.toISOString(),
  }),
)
