/** Operations of incidents. */
import {
  type Body,
  conflict,
  type Incident,
  type IncidentUpdatePatch,
  incidentOperations,
  invalid,
  listReply,
  type NewIncident,
  orNotFound,
  type Query,
  successReply,
} from '@status-page/contracts'
import { newId, type PipelinedScope, type Scope } from '@status-page/postgres'
import { type Call, createRoutes, type Route } from '@status-page/service'
import type { IncidentRow, IncidentUpdateRow } from '../tables.ts'
import { checkTimeRange } from '../time-range.ts'
import {
  applyDecision,
  deleteIncident,
  lockListedComponents,
  lockRequestedIncident,
} from './changes.ts'
import { parseTime, toIncidentInput } from './create-input.ts'
import { deleteUpdate, editUpdate, type UpdateRequest } from './edit-update.ts'
import { pageFilter } from './page-filter.ts'
import {
  editIncident,
  type IncidentEdit,
  incidentSourceOf,
  type NewUpdate,
  openIncident,
} from './rules.ts'
import * as store from './store.ts'
import { bodyWithTemplate } from './templates/use.ts'
import {
  auditIncident,
  auditUpdate,
  type IncidentInclude,
  presentIncidents,
  presentUpdate,
} from './view.ts'

export const incidentRoutes = ({ baseUrl }: { baseUrl: string }): Route[] =>
  createRoutes(incidentOperations, {
    list: async ({ query, readPipelined }) => {
      checkTimeRange(query)
      const { data, total } = await readPipelined(
        (scope) => listMatches(scope, query),
        async (scope, { rows, total }) => ({
          data: await presentIncidents(scope, rows, { baseUrl, include: query.include }),
          total,
        }),
      )
      return listReply(query, total, data)
    },

    create: (call) => createIncident(call, baseUrl),

    read: ({ params, query, read }) =>
      read(async (scope) => {
        const row = orNotFound(await store.findIncident(scope, params.id))
        return presentIncident(scope, row, baseUrl, query.include)
      }),

    update: async (call) => {
      const { title, impact, startedAt, resolvedAt, componentIds, nextUpdateAt } = call.body
      const { incident } = await applyEdit(call, {
        baseUrl,
        edit: {
          title,
          impact,
          componentIds,
          update: updateFrom(call.body),
          isAlwaysStored: false,
          startedAt: startedAt === undefined ? undefined : new Date(startedAt),
          resolvedAt: resolvedAt === undefined ? undefined : new Date(resolvedAt),
          nextUpdateAt: parseTime(nextUpdateAt),
        },
      })
      return incident
    },

    remove: (call) => removeIncident(call, baseUrl),

    addUpdate: async (call) => {
      if (call.body.status === undefined && call.body.message === undefined) {
        throw invalid({ field: 'message', message: 'status or message is required' })
      }
      const edit = {
        update: updateFrom(call.body),
        isAlwaysStored: true,
        nextUpdateAt: parseTime(call.body.nextUpdateAt),
      }
      const { incident, posted } = await applyEdit(call, { baseUrl, edit })
      return { ...presentUpdate(posted as IncidentUpdateRow), incident }
    },

    amendUpdate: (call) => editPostedUpdate(call, baseUrl),

    removeUpdate: (call) => removeUpdate(call),

    reopen: async (call) => {
      const update = updateFrom({ ...call.body, status: call.body.status ?? 'investigating' })
      const nextUpdateAt = parseTime(call.body.nextUpdateAt)
      const edit = { update, isAlwaysStored: true, nextUpdateAt }
      const { incident } = await applyEdit(call, { baseUrl, edit, onlyResolved: true })
      return incident
    },
  })

const listMatches = async (scope: PipelinedScope, query: Query<typeof incidentOperations.list>) => {
  const { statusPageId } = query
  const ofPage = statusPageId === undefined ? {} : await pageFilter(scope, statusPageId)
  if (ofPage === null) return { rows: [], total: 0 }
  return store.listIncidents(scope, { ...query, ...ofPage })
}

const createIncident = (
  call: Pick<Call, 'change' | 'actor'> & { body: NewIncident },
  baseUrl: string,
) =>
  call.change(async (scope) => {
    const body = await bodyWithTemplate(scope, call.body)
    const live = await lockListedComponents(scope, body)
    const input = toIncidentInput(body, scope, incidentSourceOf(call.actor.type))
    const decision = openIncident(input, live, scope.now)
    const { notifySubscribers = !decision.isSilent } = body
    return {
      events: await applyDecision(scope, decision, { notifySubscribers, baseUrl }),
      audit: [auditIncident('create', null, decision.incident)],
      result: await presentIncident(scope, decision.incident, baseUrl),
    }
  })

/** Request of the operations that change an incident: PATCH, new update, reopen. */
interface EditRequest {
  params: { id: string }
  body: Body<typeof incidentOperations.addUpdate>
  ifMatch: number | null
  change: Call['change']
}

interface EditOptions {
  baseUrl: string
  edit: IncidentEdit
  onlyResolved?: boolean
}

const applyEdit = (call: EditRequest, { baseUrl, edit, onlyResolved = false }: EditOptions) =>
  call.change(async (scope) => {
    const state = await lockRequestedIncident(scope, call)
    if (onlyResolved && state.incident.status !== 'resolved') {
      throw conflict('invalid_state', 'Only a resolved incident can be reopened')
    }
    const named = { ...edit, ...edit.update }
    const live = await lockListedComponents(scope, named, state.components)
    const decision = editIncident(state, edit, live, scope.now)
    const { incident, update, verb } = decision
    const { notifySubscribers = !decision.isSilent } = call.body
    const events = await applyDecision(scope, decision, { notifySubscribers, baseUrl })
    const isUpdateOnly = edit.isAlwaysStored && verb === 'updated' && update !== null
    const auditEntry = isUpdateOnly
      ? auditUpdate('create', incident, { before: null, after: update })
      : auditIncident('update', state.incident, incident)
    return {
      result: { incident: await presentIncident(scope, incident, baseUrl), posted: update },
      events,
      audit: verb === null ? [] : [auditEntry],
    }
  })

const removeIncident = (
  call: Pick<Call, 'change' | 'ifMatch'> & { params: { id: string } },
  baseUrl: string,
) =>
  call.change(async (scope) => {
    const state = await lockRequestedIncident(scope, call)
    return { result: successReply, ...(await deleteIncident(scope, state, baseUrl)) }
  })

const editPostedUpdate = (
  call: UpdateRequest & Pick<Call, 'change'> & { body: IncidentUpdatePatch },
  baseUrl: string,
) =>
  call.change(async (scope) => {
    const { incident, before, after } = await editUpdate(scope, call)
    return {
      result: {
        ...presentUpdate(after),
        incident: await presentIncident(scope, incident, baseUrl),
      },
      events: [],
      audit: before === after ? [] : [auditUpdate('update', incident, { before, after })],
    }
  })

const removeUpdate = (call: UpdateRequest & Pick<Call, 'change'>) =>
  call.change(async (scope) => {
    const { incident, before, after } = await deleteUpdate(scope, call)
    const audit = [auditUpdate('delete', incident, { before, after })]
    return { result: successReply, events: [], audit }
  })

/** Null when the body has no field of an update. */
const updateFrom = (body: Body<typeof incidentOperations.addUpdate>): NewUpdate | null => {
  const { status, message, componentStatuses } = body
  const isEmpty = [status, message, componentStatuses].every((value) => value === undefined)
  if (isEmpty) return null
  return {
    id: newId(),
    status: status ?? null,
    message: message ?? '',
    componentStatuses: componentStatuses ?? {},
    byPerson: true,
  }
}

const presentIncident = async (
  scope: Scope,
  row: IncidentRow,
  baseUrl: string,
  include: readonly IncidentInclude[] = [],
): Promise<Incident> => {
  const [incident] = await presentIncidents(scope, [row], { baseUrl, include })
  return incident as Incident
}
