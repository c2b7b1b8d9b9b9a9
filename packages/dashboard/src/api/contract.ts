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
} from '@status-page/contracts'
import { configForms } from './config-form.ts'

export { locales as pageLocales, resources } from '@status-page/contracts'

export const channelForms = configForms(channelConfigs, channelSecrets)
export const integrationForms = configForms(integrationConfigs, integrationSecrets)
