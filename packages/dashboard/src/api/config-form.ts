/** Forms of settings whose fields depend on a kind, derived from the schemas of the contract. */

export interface ConfigField<Name extends string = string> {
  name: Name
  kind: 'text' | 'longText' | 'number' | 'boolean' | 'choice' | 'list' | 'headers'
  /** True: a reply has a marker instead of the value. */
  isSecret: boolean
  isRequired: boolean
  /** Maximum number of characters of a text or a number. */
  maxLength: number | null
  /** Values of a choice; empty for other kinds. */
  choices: readonly string[]
  default: string | number | boolean | null
}

export interface ConfigForm<Name extends string = string> {
  /** Proper name of the kind. */
  title: string
  fields: readonly ConfigField<Name>[]
}

/** Keywords of JSON Schema that a form reads. */
interface FieldSchema {
  type?: string
  format?: string
  enum?: readonly string[]
  maxLength?: number
  maximum?: number
  default?: unknown
  anyOf?: readonly FieldSchema[]
}

interface ConfigSchema {
  title?: string
  required?: readonly string[]
  properties: Readonly<Record<string, FieldSchema>>
}

type Configs = Readonly<Record<string, ConfigSchema>>

export type ConfigForms<Kinds extends Configs> = {
  [Kind in keyof Kinds]: ConfigForm<keyof Kinds[Kind]['properties'] & string>
}

/** Forms of all kinds; a secret named `headers.*` is each value of the field `headers`. */
export const configForms = <Kinds extends Configs>(
  configs: Kinds,
  secrets: Readonly<Record<keyof Kinds & string, readonly string[]>>,
): ConfigForms<Kinds> => {
  const forms = Object.entries(configs).map(([kind, schema]) => {
    const secretNames = secrets[kind as keyof Kinds & string].map((name) => name.split('.')[0])
    return [kind, formOf(kind, schema, secretNames)]
  })
  return Object.fromEntries(forms) as ConfigForms<Kinds>
}

const formOf = (
  kind: string,
  { title = kind, required = [], properties }: ConfigSchema,
  secretNames: readonly (string | undefined)[],
): ConfigForm => ({
  title,
  fields: Object.entries(properties).map(([name, schema]) => ({
    name,
    isSecret: secretNames.includes(name),
    isRequired: required.includes(name),
    // A field that can be removed is a union with null.
    ...inputOf(schema.anyOf?.[0] ?? schema),
  })),
})

const kinds: Partial<Record<string, ConfigField['kind']>> = {
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  array: 'list',
  object: 'headers',
}

const inputOf = (schema: FieldSchema) => {
  const { enum: values, maxLength, maximum, default: initial } = schema
  return {
    kind: kindOf(schema),
    maxLength: maxLength ?? (maximum === undefined ? null : String(maximum).length),
    choices: values ?? [],
    default: (typeof initial === 'object' ? null : (initial ?? null)) as ConfigField['default'],
  }
}

const kindOf = ({ type = '', format, enum: values }: FieldSchema): ConfigField['kind'] => {
  if (values !== undefined) return 'choice'
  if (format === 'long-text') return 'longText'
  return kinds[type] ?? 'text'
}
