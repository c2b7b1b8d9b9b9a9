/**
 * Values of the contract that the dashboard offers. The build replaces this module by its values
 * (`vite.config.ts`), because the schemas of the contract would be most of the application. Only
 * this module imports more than types of the contract.
 */
export {
  datadogSites,
  locales as pageLocales,
  newRelicRegions,
  resources,
} from '@status-page/contracts'
