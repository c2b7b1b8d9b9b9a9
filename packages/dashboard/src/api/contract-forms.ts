/**
 * Forms of the settings of channels and integrations, apart from `contract.ts`, because few views
 * need them. The build replaces this module by its values, too.
 */
import {
  channelConfigs,
  channelSecrets,
  integrationConfigs,
  integrationSecrets,
} from '@status-page/contracts'
import { configForms } from './config-form.ts'

export const channelForms = configForms(channelConfigs, channelSecrets)
export const integrationForms = configForms(integrationConfigs, integrationSecrets)
