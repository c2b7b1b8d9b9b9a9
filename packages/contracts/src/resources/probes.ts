/**
 * Kinds of checks: the component type that each kind checks and its settings. A field has the same
 * meaning in every kind that has it.
 */
import { type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { Condition } from '../conditions.ts'
import { HttpUrl, Nullable, OneOf } from '../scalars.ts'

const checkMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

const MAX_CONDITIONS = 20
const MAX_CHECK_BODY = 64 * 1024

/** Request header of a check; the value of a credential header is encrypted. */
export const CheckHeader = Type.Object({
  name: Type.String(),
  /**
   * Plain value; null when `sealedValue` is set (purpose `component-header`, record `{component
   * id}:{lower-case name}`).
   */
  value: Nullable(Type.String()),
  sealedValue: Nullable(Type.String()),
})

interface ProbeContract {
  /** Type of the components that the kind checks. */
  componentType: string
  /** Field with the URL that a check connects to; core validates it before it is stored. */
  target: { field: string; schemes: readonly ('http' | 'https')[] }
  /** Fields of a request that creates such a component. */
  required: TProperties
  optional: TProperties
  /** The same fields as core stores them and sends them to the monitor. */
  settings: TProperties
  /** Fields whose replies differ from the stored settings. */
  reply: TProperties
}

const http = {
  componentType: 'ENDPOINT',
  target: { field: 'url', schemes: ['http', 'https'] },
  required: { url: HttpUrl },
  optional: {
    method: OneOf(checkMethods, { default: 'GET' }),
    headers: Type.Record(Type.String(), Type.String(), {
      default: {},
      maxProperties: 50,
      description:
        'Values of credential headers are stored encrypted and returned as ***REDACTED***',
    }),
    body: Nullable(Type.String({ maxLength: MAX_CHECK_BODY })),
    conditions: Type.Array(Condition, { maxItems: MAX_CONDITIONS, default: [] }),
  },
  settings: {
    url: Type.String(),
    method: OneOf(checkMethods),
    headers: Type.Array(CheckHeader),
    body: Nullable(Type.String()),
    conditions: Type.Array(Condition),
  },
  reply: { headers: Type.Record(Type.String(), Type.String()) },
} as const satisfies ProbeContract

export const probeKinds = { http }

type Kinds = typeof probeKinds
export type ProbeKind = keyof Kinds
export type CheckedType = Kinds[ProbeKind]['componentType']

/** Settings of a check, tagged by its kind. */
export type ProbeSettings<Kind extends ProbeKind = ProbeKind> = {
  [One in Kind]: { kind: One } & Static<TObject<Kinds[One]['settings']>>
}[Kind]

export const probeContracts: readonly ProbeContract[] = Object.values(probeKinds)

export const probeKindNames = Object.keys(probeKinds) as readonly ProbeKind[]

export const checkedTypes = probeContracts.map((one) => one.componentType) as readonly CheckedType[]

/** Kind of the checks of a component type; null for a type without checks by the monitor. */
export const probeKindOf = (type: string): ProbeKind | null =>
  probeKindNames.find((kind) => probeKinds[kind].componentType === type) ?? null

type AllOf<Fields> = (Fields extends unknown ? (fields: Fields) => void : never) extends (
  fields: infer All extends TProperties,
) => void
  ? All
  : never

const merged = (part: 'required' | 'optional' | 'settings' | 'reply'): TProperties =>
  Object.assign({}, ...probeContracts.map((one) => one[part]))

/** Fields of all kinds. */
export const requiredProbeFields = merged('required') as AllOf<Kinds[ProbeKind]['required']>
export const optionalProbeFields = merged('optional') as AllOf<Kinds[ProbeKind]['optional']>
export const probeReplyFields = { ...merged('settings'), ...merged('reply') } as AllOf<
  {
    [Kind in ProbeKind]: Omit<Kinds[Kind]['settings'], keyof Kinds[Kind]['reply']> &
      Kinds[Kind]['reply']
  }[ProbeKind]
>

/** Settings of any kind with `common` fields. */
export const settingsOfAnyProbe = <Common extends TProperties>(common: Common) =>
  Type.Unsafe<
    { [Kind in ProbeKind]: Static<TObject<Kinds[Kind]['settings'] & Common>> }[ProbeKind]
  >(
    Type.Union(
      probeContracts.map(({ settings }): TSchema => Type.Object({ ...settings, ...common })),
    ),
  )
