/** Values of the form of a service level. */
import type { DowntimeStatus, SlaAggregation, SlaWindowType } from '@status-page/contracts'
import type { FieldErrors } from '../api/field-errors.ts'
import type { ServiceLevel } from './queries.ts'

export interface ServiceLevelValues {
  name: string
  description: string | null
  componentIds: string[]
  targetPercentage: number
  windowType: SlaWindowType
  windowDays: number
  timezone: string
  aggregation: SlaAggregation
  downtimeStatuses: DowntimeStatus[]
  partialWeight: number
  excludeMaintenance: boolean
  minOutageSeconds: number
  atRiskThreshold: number
  isEnabled: boolean
  responseTargetMinutes: number | null
  resolutionTargetMinutes: number | null
}

export type ServiceLevelField = keyof ServiceLevelValues

/** Defaults of the service. */
export const newValues = (timezone: string): ServiceLevelValues => ({
  name: '',
  description: null,
  componentIds: [],
  targetPercentage: 99.9,
  windowType: 'rolling',
  windowDays: 30,
  timezone,
  aggregation: 'any_down',
  downtimeStatuses: ['partial_outage', 'major_outage'],
  partialWeight: 1,
  excludeMaintenance: true,
  minOutageSeconds: 0,
  atRiskThreshold: 20,
  isEnabled: true,
  responseTargetMinutes: null,
  resolutionTargetMinutes: null,
})

export const serviceLevelFields = Object.keys(newValues('UTC')) as ServiceLevelField[]

export const valuesOf = (serviceLevel: ServiceLevel): ServiceLevelValues =>
  Object.fromEntries(
    serviceLevelFields.map((field) => [field, serviceLevel[field]]),
  ) as unknown as ServiceLevelValues

const fieldOf = (name: string): string => name.split(/[.[]/, 1)[0] ?? name

/** First error of a field or of a part of it. */
export const errorAt = (errors: FieldErrors, field: ServiceLevelField): string | undefined =>
  Object.entries(errors).find(([name]) => fieldOf(name) === field)?.[1]

/** Names in the errors whose field shows them. */
export const shownErrors = (errors: FieldErrors): string[] =>
  Object.keys(errors).filter((name) => serviceLevelFields.some((one) => one === fieldOf(name)))
