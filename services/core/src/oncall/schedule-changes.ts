/** Changes of on-call schedules, each with its audit entry, and their definitions. */
import type { NewOncallSchedule, OncallSchedulePatch } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import {
  type ChangeDrafts,
  type ConfiguredResource,
  type DefinitionContext,
  definitionDrafts,
} from '../configured-resource.ts'
import type { OncallScheduleRow } from '../tables.ts'
import { rescheduleAlerts } from './alerts/changes.ts'
import {
  auditSchedule,
  changeSchedule,
  createSchedule,
  referencedIds,
  type ScheduleContext,
  scheduleFields,
} from './schedules/rules.ts'
import * as store from './schedules/store.ts'

const draftsOf = definitionDrafts('oncall_schedule', auditSchedule)

export const addSchedule = async (scope: Scope, row: OncallScheduleRow): Promise<ChangeDrafts> => {
  await store.insertSchedule(scope, row)
  return draftsOf('create', null, row)
}

export const updateSchedule = async (
  scope: Scope,
  before: OncallScheduleRow,
  row: OncallScheduleRow,
): Promise<ChangeDrafts> => {
  await store.saveSchedule(scope, row)
  await rescheduleAlerts(scope, row.id, row.isEnabled ? row.escalation : [])
  return draftsOf('update', before, row)
}

export const deleteSchedule = async (
  scope: Scope,
  row: OncallScheduleRow,
): Promise<ChangeDrafts> => {
  await rescheduleAlerts(scope, row.id, [])
  await store.removeSchedule(scope, row.id)
  return draftsOf('delete', row, row)
}

/** Members and channels are accepted as given: config-sync has read them from their owners. */
const contextOf = (
  body: NewOncallSchedule | OncallSchedulePatch,
  { components, now }: DefinitionContext,
): ScheduleContext => {
  const { userIds, channelIds } = referencedIds(body)
  const known = {
    componentIds: components,
    userIds: new Set(userIds),
    channelIds: new Set(channelIds),
  }
  return { known, newId, now }
}

export const scheduleDefinitions: ConfiguredResource<
  OncallScheduleRow,
  NewOncallSchedule,
  OncallSchedulePatch
> = {
  list: store.listSchedulesAfterId,
  lock: store.lockSchedules,
  nameOf: ({ name }) => name,
  findNames: store.findScheduleNames,
  fieldsOf: scheduleFields,
  create: (id, body, context) =>
    createSchedule(
      { id, organizationId: context.organizationId, body, managedByConfig: true },
      contextOf(body, context),
    ),
  change: (row, patch, context) => changeSchedule(row, patch, contextOf(patch, context)),
  insert: addSchedule,
  save: updateSchedule,
  remove: deleteSchedule,
}
