/** Fields and conditions of a check by its kind. */
import type { Schemas } from '@status-page/client'
import type { ProbeKind, PushKind } from '@status-page/contracts'
import { checkKinds } from '../api/contract-checks.ts'

export type CheckCondition = Schemas['Condition']

/** Forms of the addresses of all kinds. */
export const addressForms: string = Object.values(checkKinds)
  .flatMap(({ schemes, form }) => (schemes.length === 0 ? [] : form))
  .join(' · ')

/** Kind of a check: the chosen one or that of the address; `http` without a known scheme. */
export const checkKindOf = ({ kind, url }: { kind: PushKind | null; url: string }): ProbeKind => {
  if (kind !== null) return kind
  const scheme = url.trim().split(':', 1).join().toLowerCase()
  const found = Object.entries(checkKinds).find(([, { schemes }]) => schemes.includes(scheme))
  return (found?.[0] ?? 'http') as ProbeKind
}

export const conditionTypesOf = (kind: ProbeKind): readonly CheckCondition['type'][] =>
  checkKinds[kind].conditionTypes

/** Whether agents of private locations make checks of the kind. */
export const hasAgents = (kind: ProbeKind): boolean => checkKinds[kind].hasAgents

export const hasField = (kind: ProbeKind, field: string): boolean =>
  checkKinds[kind].fields.includes(field)

const kindFields = new Set(Object.values(checkKinds).flatMap(({ fields }) => fields))

/** Whether only checks of other kinds have the field. */
export const isFieldOfOtherKind = (kind: ProbeKind, field: string): boolean =>
  kindFields.has(field) && !hasField(kind, field)
