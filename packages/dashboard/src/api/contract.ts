/**
 * Values of the contract that the dashboard offers. The build replaces this module by its values
 * (`vite.config.ts`), because the schemas of the contract would be most of the application. Only
 * this module and `contract-forms.ts` import more than types of the contract.
 */
import {
  type ProbeContract,
  type ProbeKind,
  probeKindNames,
  probeKinds,
} from '@status-page/contracts'

export {
  checkMethods,
  comparatorsOf,
  componentStatuses,
  deliveryEvents,
  deliveryStates,
  disruptedStatuses,
  downtimeStatuses,
  gitProviders,
  impacts,
  incidentComponentStatuses,
  incidentStatuses,
  locales as pageLocales,
  metricAggregations,
  resources,
  selectableChannelEvents,
  slaAggregations,
  slaWindowTypes,
  subscriberEvents,
  subscriberSources,
  subscriberStatuses,
  subscriberTypes,
  visibilities,
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
