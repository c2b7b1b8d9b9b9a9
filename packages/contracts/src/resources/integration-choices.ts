/** Choices of settings of metrics platforms, without a schema, so that the dashboard reads them. */

/** A closed set, so that a tenant cannot compose a host name. */
export const datadogSites = [
  'datadoghq.com',
  'us3.datadoghq.com',
  'us5.datadoghq.com',
  'datadoghq.eu',
  'ap1.datadoghq.com',
  'ap2.datadoghq.com',
  'ddog-gov.com',
] as const

export const newRelicRegions = ['US', 'EU'] as const
