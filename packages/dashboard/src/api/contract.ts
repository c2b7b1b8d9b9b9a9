/**
 * Values of the contract that the dashboard offers. The build replaces this module by its values
 * (`vite.config.ts`), because the schemas of the contract would be most of the application. Only
 * this module imports more than types of the contract.
 */
import {
  channelConfigs,
  channelSecrets,
  integrationConfigs,
  integrationSecrets,
  type ProbeContract,
  type ProbeKind,
  probeKindNames,
  probeKinds,
} from '@status-page/contracts'
import { configForms } from './config-form.ts'

export { comparatorsOf, locales as pageLocales, resources } from '@status-page/contracts'

export const channelForms = configForms(channelConfigs, channelSecrets)
export const integrationForms = configForms(integrationConfigs, integrationSecrets)

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
