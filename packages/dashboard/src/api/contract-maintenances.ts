/**
 * Options of maintenances, apart from `contract.ts`, because few views need them. The build replaces
 * this module by its values, too.
 */
import { maintenanceOptions } from '@status-page/contracts'
import { configForms } from './config-form.ts'

export const maintenanceForms = configForms(
  { options: { properties: maintenanceOptions } },
  { options: [] },
)
