/** State of a maintenance, the input of its changes and the decision that a change makes. Pure. */
import {
  type MaintenanceEventData,
  type MaintenanceStatus,
  maintenanceCompleted,
  maintenanceOptions,
  maintenanceReminder,
  maintenanceScheduled,
  maintenanceStarted,
  maintenanceUpdated,
  ruleIssue,
  throwIssues,
} from '@status-page/contracts'
import { fieldDefaults } from '../fields.ts'
import type { MaintenanceComponentRow, MaintenanceRow, MaintenanceUpdateRow } from '../tables.ts'
import type { ComponentsById, MaintenanceClaims } from './claims.ts'

export interface MaintenanceState {
  maintenance: MaintenanceRow
  components: readonly MaintenanceComponentRow[]
  updateCount: number
}

/** Event of each change. */
export const maintenanceChangeEvents = {
  scheduled: maintenanceScheduled,
  started: maintenanceStarted,
  updated: maintenanceUpdated,
  completed: maintenanceCompleted,
  reminded: maintenanceReminder,
}
export type MaintenanceChangeKind = keyof typeof maintenanceChangeEvents

export interface MaintenanceDecision {
  maintenance: MaintenanceRow
  components: readonly MaintenanceComponentRow[]
  update: MaintenanceUpdateRow | null
  /** Claims of the components whose status changes. */
  claims: MaintenanceClaims
  /** Null when no event is published. */
  verb: MaintenanceChangeKind | null
  news: MaintenanceEventData['news']
}

type PlanOptions = Pick<MaintenanceRow, keyof typeof maintenanceOptions>

/** Values of optional fields that a request omits or clears. */
export const planDefaults = fieldDefaults(maintenanceOptions) as PlanOptions

/** Fields of a maintenance that users set. */
export interface MaintenancePlan
  extends PlanOptions,
    Pick<MaintenanceRow, 'title' | 'scheduledFor' | 'scheduledUntil' | 'recurrence'> {}

/** Optional fields with their defaults. */
export const planOptions = (
  given: {
    [Field in keyof PlanOptions]?: PlanOptions[Field] | undefined
  },
): PlanOptions => {
  const options = Object.entries(planDefaults).map(([field, value]) => [
    field,
    given[field as keyof PlanOptions] ?? value,
  ])
  return Object.fromEntries(options) as PlanOptions
}

export type PlanTimeField = 'scheduledFor' | 'scheduledUntil' | 'recurrence'
export const timeFields: readonly PlanTimeField[] = ['scheduledFor', 'scheduledUntil', 'recurrence']

export interface MaintenanceInput extends MaintenancePlan {
  id: string
  updateId: string
  organizationId: string
  /** First maintenance of the series; null outside of a series. */
  recurrenceOf: string | null
  occurrenceAt: Date | null
}

export interface MaintenanceEdit {
  updateId: string
  plan: { [Field in keyof MaintenancePlan]?: MaintenancePlan[Field] | undefined }
  componentIds?: readonly string[] | undefined
  status?: MaintenanceStatus | undefined
  /** New time of an occurrence in its series. */
  occurrenceAt?: Date | undefined
  /** True when the update is stored even without a change. */
  isAlwaysStored: boolean
}

/** Rows of listed components; stored ids are accepted after their component was deleted. */
export const maintenanceComponentRows = (
  { id: maintenanceId, organizationId }: Pick<MaintenanceRow, 'id' | 'organizationId'>,
  ids: readonly string[],
  existing: { stored: readonly MaintenanceComponentRow[]; live: ComponentsById },
): MaintenanceComponentRow[] => {
  const stored = new Map(existing.stored.map((row) => [row.componentId, row]))
  const rows = ids.map((componentId, position) => {
    const { name, status } = existing.live.get(componentId) ?? stored.get(componentId) ?? {}
    if (name === undefined || status === undefined) return `componentIds[${position}]`
    const { retainedPageIds = [] } = stored.get(componentId) ?? {}
    return { organizationId, maintenanceId, componentId, position, name, status, retainedPageIds }
  })
  throwIssues(
    rows.filter((row) => typeof row === 'string').map((field) => ruleIssue(field, 'exists')),
  )
  return rows.filter((row) => typeof row !== 'string')
}

export const componentIdsOf = (rows: readonly MaintenanceComponentRow[]): string[] =>
  rows.map(({ componentId }) => componentId)
