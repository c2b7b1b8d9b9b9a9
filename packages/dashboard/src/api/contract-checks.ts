/**
 * Kinds of checks, apart from `contract.ts`, because only the editor of checks needs them. The build
 * replaces this module by its values, too.
 */
import {
  commonCheckFields,
  fieldsOfProbe,
  hasCommonField,
  type ProbeContract,
  type ProbeKind,
  probeKindNames,
  probeKinds,
} from '@status-page/contracts'

interface CheckKindForm extends Pick<ProbeContract, 'schemes' | 'form' | 'conditionTypes'> {
  fields: readonly string[]
}

const checkKindForm = (kind: ProbeKind): CheckKindForm => {
  const { schemes, form, conditionTypes }: ProbeContract = probeKinds[kind]
  const common = commonCheckFields.filter((field) => hasCommonField(kind, field))
  return { schemes, form, fields: [...fieldsOfProbe(kind), ...common], conditionTypes }
}

/** Kinds of checks, with their fields. */
export const checkKinds = Object.fromEntries(
  probeKindNames.map((kind) => [kind, checkKindForm(kind)]),
) as Record<ProbeKind, CheckKindForm>
