/** Values of a metric query as its form has them: texts, empty for a field without a value. */
import type { MetricQueryData } from './queries.ts'

export interface MetricValues {
  name: string
  query: string
  unit: string
  decimalPlaces: string
  aggregation: MetricQueryData['aggregation']
  pollingInterval: string
  warningThreshold: string
  criticalThreshold: string
  showOnStatusPage: boolean
  isEnabled: boolean
}

export const newMetricValues: MetricValues = {
  name: '',
  query: '',
  unit: '',
  decimalPlaces: '2',
  aggregation: 'last',
  pollingInterval: '60',
  warningThreshold: '',
  criticalThreshold: '',
  showOnStatusPage: false,
  isEnabled: true,
}

export const metricValuesOf = (query: MetricQueryData): MetricValues => ({
  name: query.name,
  query: query.query,
  unit: query.unit ?? '',
  decimalPlaces: String(query.decimalPlaces),
  aggregation: query.aggregation,
  pollingInterval: String(query.pollingInterval),
  warningThreshold: String(query.warningThreshold ?? ''),
  criticalThreshold: String(query.criticalThreshold ?? ''),
  showOnStatusPage: query.showOnStatusPage,
  isEnabled: query.isEnabled,
})

/** Body of the request; a text that is no number is left to the service, which names its field. */
export const metricBodyOf = (values: MetricValues) => ({
  ...values,
  unit: values.unit.trim() === '' ? null : values.unit,
  decimalPlaces: numberOf(values.decimalPlaces) ?? 0,
  pollingInterval: numberOf(values.pollingInterval) ?? 0,
  warningThreshold: numberOf(values.warningThreshold),
  criticalThreshold: numberOf(values.criticalThreshold),
})

const numberOf = (text: string): number | null => {
  if (text.trim() === '') return null
  const number = Number(text.replace(',', '.'))
  return Number.isNaN(number) ? (text as never) : number
}
