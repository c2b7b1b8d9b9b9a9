/**
 * Kinds of checks, apart from `contract.ts`, because only the editor of checks needs them. The build
 * replaces this module by its values, too.
 */
import {
  type ProbeContract,
  type ProbeKind,
  probeKindNames,
  probeKinds,
} from '@status-page/contracts'

interface CheckKindForm extends Pick<ProbeContract, 'schemes' | 'form' | 'conditionTypes'> {
  fields: readonly string[]
}

const checkKindForm = ({
  optional,
  schemes,
  form,
  conditionTypes,
}: ProbeContract): CheckKindForm => ({
  schemes,
  form,
  fields: Object.keys(optional).filter((field) => field !== 'conditions'),
  conditionTypes,
})

/** Kinds of checks, with the fields that each one has besides those of every kind. */
export const checkKinds = Object.fromEntries(
  probeKindNames.map((kind) => [kind, checkKindForm(probeKinds[kind])]),
) as Record<ProbeKind, CheckKindForm>
