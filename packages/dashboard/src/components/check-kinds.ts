/**
 * Kinds of checks, which the scheme of the address selects, with the fields and the conditions that
 * each one has; the contract defines them, a test compares both.
 */
import type { Schemas } from '@status-page/client'

export type CheckCondition = Schemas['Condition']

export const checkKinds = {
  http: {
    schemes: ['http', 'https'],
    form: 'https://example.com/path',
    fields: ['method', 'headers', 'body'],
    conditionTypes: [
      'STATUS_CODE',
      'RESPONSE_TIME',
      'JSON_PATH',
      'HEADER',
      'BODY_CONTAINS',
      'CERTIFICATE_DAYS',
    ],
  },
  tcp: {
    schemes: ['tcp'],
    form: 'tcp://host:port',
    fields: ['send'],
    conditionTypes: ['RESPONSE_TIME', 'BANNER'],
  },
  tls: {
    schemes: ['tls'],
    form: 'tls://host:port',
    fields: [],
    conditionTypes: ['RESPONSE_TIME', 'CERTIFICATE_DAYS'],
  },
  dns: {
    schemes: ['dns'],
    form: 'dns://resolver/name?type=A',
    fields: [],
    conditionTypes: ['DNS_RECORD', 'RESPONSE_TIME'],
  },
  icmp: {
    schemes: ['icmp'],
    form: 'icmp://host',
    fields: [],
    conditionTypes: ['RESPONSE_TIME'],
  },
} as const satisfies Record<string, CheckKindFields>

interface CheckKindFields {
  schemes: readonly string[]
  /** Form of the addresses. */
  form: string
  /** Fields besides those that checks of all kinds have. */
  fields: readonly string[]
  conditionTypes: readonly CheckCondition['type'][]
}

export type CheckKind = keyof typeof checkKinds

const kinds: Readonly<Record<CheckKind, CheckKindFields>> = checkKinds

/** Forms of the addresses of all kinds. */
export const addressForms: string = Object.values(kinds)
  .map(({ form }) => form)
  .join(' · ')

/** Kind of the check of an address; `http` for one without a known scheme. */
export const checkKindOf = (url: string): CheckKind => {
  const scheme = url.trim().split(':', 1).join().toLowerCase()
  const found = Object.entries(kinds).find(([, { schemes }]) => schemes.includes(scheme))
  return (found?.[0] ?? 'http') as CheckKind
}

export const conditionTypesOf = (kind: CheckKind): readonly CheckCondition['type'][] =>
  kinds[kind].conditionTypes

export const hasField = (kind: CheckKind, field: string): boolean =>
  kinds[kind].fields.includes(field)

const kindFields = new Set(Object.values(kinds).flatMap(({ fields }) => fields))

/** Whether only checks of other kinds have the field. */
export const isFieldOfOtherKind = (kind: CheckKind, field: string): boolean =>
  kindFields.has(field) && !hasField(kind, field)
