/** Operations of maintenances. */
import {
  type Body,
  invalid,
  listReply,
  type Maintenance,
  maintenanceOperations,
  type NewMaintenance,
  orNotFound,
  type Recurrence,
  successReply,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { type Call, createRoutes, type Route } from '@status-page/service'
import type { MaintenanceRow, MaintenanceUpdateRow } from '../tables.ts'
import { checkTimeRange } from '../time-range.ts'
import { cancelMaintenance, createMaintenance, updateMaintenance } from './changes.ts'
import { listExpectedOccurrences, previewRecurrence } from './expected-occurrences.ts'
import { listMaintenances } from './lists.ts'
import { type MaintenanceEdit, type MaintenancePlan, planDefaults, planOptions } from './state.ts'
import * as store from './store.ts'
import { bodyWithTemplate } from './templates/use.ts'
import { checkVersion, validatePlan } from './validation.ts'
import { presentMaintenances, presentUpdate } from './view.ts'

export const maintenanceRoutes = ({ baseUrl }: { baseUrl: string }): Route[] =>
  createRoutes(maintenanceOperations, {
    list: async ({ query, read }) => {
      checkTimeRange(query)
      return read(async (scope) => {
        const { rows, total } = await listMaintenances(scope, query)
        const withUpdates = query.include?.includes('updates') ?? false
        const options = { baseUrl, withUpdates }
        return listReply(query, total, await presentMaintenances(scope, rows, options))
      })
    },

    create: (call) => create(call, baseUrl),

    previewRecurrence: async ({ body, read }) => {
      const window = windowFrom(body)
      const recurrence = recurrenceFrom(body.recurrence) as Recurrence
      // The first window of a series that is changed may have passed.
      validatePlan({ ...window, recurrence }, window.scheduledFor)
      return read(async ({ now }) => previewRecurrence({ ...window, recurrence }, now))
    },

    listOccurrences: ({ query, read }) => read((scope) => listExpectedOccurrences(scope, query)),

    read: ({ params, query, read }) =>
      read(async (scope) => {
        const row = orNotFound(await store.findMaintenance(scope, params.id))
        return presentMaintenance(scope, row, baseUrl, query.include)
      }),

    update: async (call) => {
      const { maintenance } = await change(call, editFrom(call.body), baseUrl)
      return maintenance
    },

    remove: (call) =>
      call.change(async (scope) => {
        const state = await lock(scope, call)
        return { result: successReply, ...(await cancelMaintenance(scope, state, baseUrl)) }
      }),

    addUpdate: async (call) => {
      const { status, message } = call.body
      if (status === undefined && message === undefined) {
        throw invalid({ field: 'message', message: 'status or message is required' })
      }
      const plan = message === undefined ? {} : { message }
      const edit = { updateId: newId(), plan, status, isAlwaysStored: true }
      const { maintenance, posted } = await change(call, edit, baseUrl)
      return { ...presentUpdate(posted as MaintenanceUpdateRow), maintenance }
    },
  })

const create = (
  { body, change }: Call<typeof maintenanceOperations.create>,
  baseUrl: string,
): Promise<Maintenance> =>
  change(async (scope) => {
    const filled = await bodyWithTemplate(scope, body)
    const plan = planFrom(filled)
    validatePlan(plan, scope.now)
    const input = {
      ...plan,
      id: newId(),
      updateId: newId(),
      organizationId: scope.organizationId,
      recurrenceOf: null,
      occurrenceAt: null,
    }
    const listed = { ids: filled.componentIds ?? [], stored: [] }
    const { decision, events, audit } = await createMaintenance(scope, input, listed, baseUrl)
    return { result: await presentMaintenance(scope, decision.maintenance, baseUrl), events, audit }
  })

type EditRequest = Pick<Call, 'change' | 'ifMatch'> & { params: { id: string } }

const change = (call: EditRequest, edit: MaintenanceEdit, baseUrl: string) =>
  call.change(async (scope) => {
    const state = await lock(scope, call)
    const { decision, events, audit } = await updateMaintenance(scope, state, edit, baseUrl)
    const maintenance = await presentMaintenance(scope, decision.maintenance, baseUrl)
    return { result: { maintenance, posted: decision.update }, events, audit }
  })

const lock = async (scope: Scope, call: Pick<EditRequest, 'params' | 'ifMatch'>) => {
  const state = orNotFound(await store.lockMaintenance(scope, call.params.id))
  checkVersion(state.maintenance, call.ifMatch)
  return state
}

const planFrom = (
  body: NewMaintenance & { title: string; scheduledUntil: string },
): MaintenancePlan => ({
  ...planOptions(body),
  title: body.title,
  ...windowFrom(body),
  recurrence: recurrenceFrom(body.recurrence),
})

const windowFrom = (body: { scheduledFor: string; scheduledUntil: string }) => ({
  scheduledFor: new Date(body.scheduledFor),
  scheduledUntil: new Date(body.scheduledUntil),
})

const editFrom = (body: Body<typeof maintenanceOperations.update>): MaintenanceEdit => {
  const { scheduledFor, scheduledUntil, recurrence, componentIds, status, ...options } = body
  const cleared = Object.entries(options).map(([field, value]) => [
    field,
    value === null ? planDefaults[field as keyof typeof planDefaults] : value,
  ])
  return {
    updateId: newId(),
    plan: {
      ...Object.fromEntries(cleared),
      ...(scheduledFor === undefined ? {} : { scheduledFor: new Date(scheduledFor) }),
      ...(scheduledUntil === undefined ? {} : { scheduledUntil: new Date(scheduledUntil) }),
      ...(recurrence === undefined ? {} : { recurrence: recurrenceFrom(recurrence) }),
    },
    componentIds: componentIds === null ? [] : componentIds,
    status,
    isAlwaysStored: false,
  }
}

type RecurrenceInput = NewMaintenance['recurrence']

const recurrenceFrom = (input: RecurrenceInput): Recurrence | null => {
  if (input === undefined || input === null) return null
  const { rrule, timezone = 'UTC', until = null } = input
  return { rrule, timezone, until }
}

const presentMaintenance = async (
  scope: Scope,
  row: MaintenanceRow,
  baseUrl: string,
  include: readonly string[] = [],
): Promise<Maintenance> => {
  const withUpdates = include.includes('updates')
  const [maintenance] = await presentMaintenances(scope, [row], { baseUrl, withUpdates })
  return maintenance as Maintenance
}
