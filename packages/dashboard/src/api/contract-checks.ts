/**
 * Kinds of checks, apart from `contract.ts`, because only the editor of checks needs them. The build
 * replaces this module by its values, too.
 */
import {
  agentKinds,
  certificateWarningDays,
  commonCheckFields,
  fieldsOfProbe,
  hasCommonField,
  type ProbeContract,
  type ProbeKind,
  probeKindNames,
  probeKinds,
} from '@status-page/contracts'

export { certificateWarningDays }

interface CheckKindForm extends Pick<ProbeContract, 'form' | 'conditionTypes'> {
  schemes: readonly string[]
  fields: readonly string[]
  /** Whether agents of private locations make the checks. */
  hasAgents: boolean
}

const checkKindForm = (kind: ProbeKind): CheckKindForm => {
  const { schemes, form, conditionTypes }: ProbeContract = probeKinds[kind]
  const common = commonCheckFields.filter((field) => hasCommonField(kind, field))
  const fields = [...fieldsOfProbe(kind), ...common]
  const hasAgents = agentKinds.some((one) => one === kind)
  return { schemes: Object.keys(schemes), form, fields, hasAgents, conditionTypes }
}

/** Kinds of checks, with their fields. */
export const checkKinds = Object.fromEntries(
  probeKindNames.map((kind) => [kind, checkKindForm(kind)]),
) as Record<ProbeKind, CheckKindForm>
