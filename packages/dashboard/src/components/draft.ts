/** Settings of a component as a form holds them, and their conversion from and to the API. */
import type { Schemas } from '@status-page/client'
import type { HeartbeatSchedule, PushKind } from '@status-page/contracts'
import { type CheckCondition, checkKindOf, isFieldOfOtherKind } from './check-kinds.ts'
import type { ComponentData } from './tree.ts'

export type ComponentKind = ComponentData['type']

export interface HeaderDraft {
  key: number
  name: string
  value: string
}

export interface ConditionDraft extends CheckCondition {
  key: number
}

/** Numbers are texts, as they are entered; an empty text means the default. */
export interface ComponentDraft {
  name: string
  description: string
  parentComponentId: string | null
  dependsOn: string[]
  icon: string
  showIconOnStatusPage: boolean
  isEnabled: boolean
  isMuted: boolean
  /** Null: the scheme of `url` selects the kind. */
  kind: PushKind | null
  /** Null: `periodSeconds` applies. */
  schedule: HeartbeatSchedule | null
  periodSeconds: string
  startGraceSeconds: string
  maxRunSeconds: string
  minRunSeconds: string
  url: string
  method: string
  headers: HeaderDraft[]
  body: string
  send: string
  conditions: ConditionDraft[]
  checkInterval: string
  timeout: string
  autoCreateIncident: boolean
  failureThreshold: string
  autoResolve: boolean
  recoveryThreshold: string
  locations: string
  locationQuorum: string
  integrationId: string
  query: string
  pollingInterval: string
  warningThreshold: string
  criticalThreshold: string
  upstream: UpstreamDraft
}

/** An empty address means no upstream, an empty component the whole page of the vendor. */
export interface UpstreamDraft {
  url: string
  component: string
  mode: NonNullable<ComponentData['upstream']>['mode']
}

export type DraftField = keyof ComponentDraft

const commonFields = [
  'name',
  'description',
  'parentComponentId',
  'dependsOn',
  'icon',
  'showIconOnStatusPage',
  'isEnabled',
  'isMuted',
] as const satisfies DraftField[]

/** Fields of each type besides the common ones. */
export const fieldsByType = {
  SERVICE: ['upstream'],
  ENDPOINT: [
    'kind',
    'schedule',
    'periodSeconds',
    'startGraceSeconds',
    'maxRunSeconds',
    'minRunSeconds',
    'url',
    'method',
    'headers',
    'body',
    'send',
    'conditions',
    'checkInterval',
    'timeout',
    'autoCreateIncident',
    'failureThreshold',
    'autoResolve',
    'recoveryThreshold',
    'locations',
    'locationQuorum',
  ],
  METRIC: ['integrationId', 'query', 'pollingInterval', 'warningThreshold', 'criticalThreshold'],
} as const satisfies Record<ComponentKind, DraftField[]>

export const fieldsOf = (type: ComponentKind): readonly DraftField[] => [
  ...commonFields,
  ...fieldsByType[type],
]

let lastKey = 0
/** Key of a new row of the form; rows have no identity of their own. */
export const newKey = (): number => {
  lastKey += 1
  return lastKey
}

const textOf = (value: number | null | undefined): string => (value == null ? '' : String(value))

export const textOfLocations = (locations: readonly string[]): string => locations.join(', ')

export const locationsOfText = (text: string): string[] =>
  text.split(/[\s,]+/).filter((location) => location !== '')

/** Draft of a component; of the defaults of the contract without one. */
export const draftOf = (component: Partial<ComponentData>): ComponentDraft => ({
  name: component.name ?? '',
  description: component.description ?? '',
  parentComponentId: component.parentComponentId ?? null,
  dependsOn: component.dependsOn ?? [],
  icon: component.icon ?? '',
  showIconOnStatusPage: component.showIconOnStatusPage ?? true,
  isEnabled: component.isEnabled ?? true,
  isMuted: component.isMuted ?? false,
  kind: component.kind ?? null,
  schedule: component.schedule ?? null,
  periodSeconds: textOf(component.periodSeconds),
  startGraceSeconds: textOf(component.startGraceSeconds),
  maxRunSeconds: textOf(component.maxRunSeconds),
  minRunSeconds: textOf(component.minRunSeconds),
  url: component.url ?? '',
  method: component.method ?? 'GET',
  headers: Object.entries(component.headers ?? {}).map(([name, value]) => {
    return { key: newKey(), name, value }
  }),
  body: component.body ?? '',
  send: component.send ?? '',
  conditions: (component.conditions ?? []).map((condition) => ({ key: newKey(), ...condition })),
  checkInterval: textOf(component.checkInterval),
  timeout: textOf(component.timeout),
  autoCreateIncident: component.autoCreateIncident ?? false,
  failureThreshold: textOf(component.failureThreshold),
  autoResolve: component.autoResolve ?? true,
  recoveryThreshold: textOf(component.recoveryThreshold),
  locations: textOfLocations(component.locations ?? []),
  locationQuorum: textOf(component.locationQuorum),
  integrationId: component.integrationId ?? '',
  query: component.query ?? '',
  pollingInterval: textOf(component.pollingInterval),
  warningThreshold: textOf(component.warningThreshold),
  criticalThreshold: textOf(component.criticalThreshold),
  upstream: {
    url: component.upstream?.url ?? '',
    component: component.upstream?.component ?? '',
    mode: component.upstream?.mode ?? 'mirror',
  },
})

const optionalText = (text: string) => (text === '' ? null : text)

/** A text that is no number is sent as it is: the service refuses it with its own message. */
const numberOf = (text: string) => {
  const plain = text.trim()
  if (plain === '') return null
  return Number.isFinite(Number(plain)) ? Number(plain) : plain
}

const toApi: Partial<{ [Field in DraftField]: (value: ComponentDraft[Field]) => unknown }> = {
  description: optionalText,
  icon: optionalText,
  body: optionalText,
  send: optionalText,
  periodSeconds: numberOf,
  startGraceSeconds: numberOf,
  maxRunSeconds: numberOf,
  minRunSeconds: numberOf,
  headers: (headers) =>
    Object.fromEntries(
      headers.filter(({ name }) => name !== '').map(({ name, value }) => [name, value]),
    ),
  conditions: (conditions) => conditions.map(({ key: _key, ...condition }) => condition),
  locations: locationsOfText,
  checkInterval: numberOf,
  timeout: numberOf,
  failureThreshold: numberOf,
  recoveryThreshold: numberOf,
  locationQuorum: numberOf,
  pollingInterval: numberOf,
  warningThreshold: numberOf,
  criticalThreshold: numberOf,
  upstream: ({ url, component, mode }) =>
    url.trim() === '' ? null : { url: url.trim(), component: optionalText(component), mode },
}

/** Values of the fields as the API takes them, without those of other kinds of checks. */
export const valuesOf = (type: ComponentKind, draft: ComponentDraft): Record<string, unknown> => {
  const kind = checkKindOf(draft)
  const fields = fieldsOf(type).filter((field) => !isFieldOfOtherKind(kind, field))
  return Object.fromEntries(
    fields.map((field) => {
      const convert = toApi[field] as ((value: unknown) => unknown) | undefined
      return [field, convert === undefined ? draft[field] : convert(draft[field])]
    }),
  )
}

export const isSame = (left: unknown, right: unknown): boolean =>
  JSON.stringify(left) === JSON.stringify(right)

/** Body that creates the component; fields without a value get their default. */
export const creationOf = (
  type: ComponentKind,
  draft: ComponentDraft,
): Schemas['CreateComponent'] => {
  const given = Object.entries(valuesOf(type, draft)).filter(([, value]) => value !== null)
  return { type, ...Object.fromEntries(given) } as Schemas['CreateComponent']
}

/** Fields of the draft that differ from the component. */
export const patchOf = (base: ComponentData, draft: ComponentDraft): Record<string, unknown> => {
  const before = valuesOf(base.type, draftOf(base))
  const after = Object.entries(valuesOf(base.type, draft))
  return Object.fromEntries(after.filter(([field, value]) => !isSame(value, before[field])))
}

/** Changed fields that have another value in `current` than at the start of the edit. */
export const conflictingFields = (
  base: ComponentData,
  current: ComponentData,
  patch: Readonly<Record<string, unknown>>,
): DraftField[] => {
  const before = valuesOf(base.type, draftOf(base))
  const now = valuesOf(base.type, draftOf(current))
  return fieldsOf(base.type).filter(
    (field) =>
      field in patch && !isSame(now[field], before[field]) && !isSame(now[field], patch[field]),
  )
}

/** The draft with the values that `current` has of some fields. */
export const withValuesOf = (
  draft: ComponentDraft,
  current: ComponentData,
  fields: readonly DraftField[],
): ComponentDraft => {
  const values = draftOf(current)
  return { ...draft, ...Object.fromEntries(fields.map((field) => [field, values[field]])) }
}

/** The draft with the saved values of all fields that have not changed since the draft was sent. */
export const savedDraft = (
  draft: ComponentDraft,
  sent: ComponentDraft,
  saved: ComponentData,
): ComponentDraft => {
  const sameFields = fieldsOf(saved.type).filter((field) => isSame(draft[field], sent[field]))
  return withValuesOf(draft, saved, sameFields)
}

/** The draft with the present values of all fields that the user has not changed. */
export const rebased = (
  draft: ComponentDraft,
  base: ComponentData,
  current: ComponentData,
): ComponentDraft => {
  const changed = Object.keys(patchOf(base, draft))
  const others = fieldsOf(base.type).filter((field) => !changed.includes(field))
  return withValuesOf(draft, current, others)
}
