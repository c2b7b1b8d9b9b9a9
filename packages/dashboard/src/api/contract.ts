/**
 * Values of the contract that the dashboard offers. The build replaces this module by its values
 * (`vite.config.ts`), because the schemas of the contract would be most of the application. Only
 * the modules `contract*.ts` import more than types of the contract.
 */
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
  upstreamModes,
  visibilities,
} from '@status-page/contracts'
