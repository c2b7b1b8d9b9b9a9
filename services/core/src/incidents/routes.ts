/** The operations of incidents. */
import {
  type Body,
  conflict,
  type Incident,
  type IncidentSource,
  incidentOperations,
  invalid,
  listReply,
  notFound,
  success,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { type Call, type Route, route } from '@status-page/service'
import type { IncidentRow, IncidentUpdateRow } from '../tables.ts'
import { checkTimeRange } from '../time-range.ts'
import { carryOut, lockNamed, showClaims } from './changes.ts'
import { claimsOnDeleting } from './claims.ts'
import {
  type Amendment,
  amendIncident,
  checkVersion,
  type NewUpdate,
  type Opening,
  openIncident,
  sourceOf,
} from './rules.ts'
import * as store from './store.ts'
import {
  auditIncident,
  auditUpdate,
  presentIncidents,
  presentUpdate,
  stateIncident,
} from './view.ts'

export const incidentRoutes = ({ baseUrl }: { baseUrl: string }): Route[] =>
  route(incidentOperations, {
    list: async ({ query, read }) => {
      checkTimeRange(query)
      return read(async (scope) => {
        const { rows, total } = await store.listIncidents(scope, query)
        const withUpdates = query.include?.includes('updates') ?? false
        return listReply(
          query,
          total,
          await presentIncidents(scope, rows, { baseUrl, withUpdates }),
        )
      })
    },

    create: (call) =>
      call.change(async (scope) => {
        const { body, actor } = call
        const live = await lockNamed(scope, body)
        const opening = openingFrom(body, scope, sourceOf(actor.type))
        const decision = openIncident(opening, live, scope.now)
        const notifySubscribers = body.notifySubscribers ?? true
        return {
          events: await carryOut(scope, decision, { notifySubscribers, baseUrl }),
          audit: [auditIncident('create', null, decision.incident)],
          result: await presentOne(scope, decision.incident, baseUrl),
        }
      }),

    read: ({ params, query, read }) =>
      read(async (scope) => {
        const row = await store.findIncident(scope, params.id)
        if (row === undefined) throw notFound()
        return presentOne(scope, row, baseUrl, query.include)
      }),

    update: async (call) => {
      const { title, impact, startedAt, componentIds } = call.body
      const { incident } = await amend(call, {
        baseUrl,
        amendment: {
          ...{ title, impact, componentIds, update: updateFrom(call.body), isPosted: false },
          startedAt: startedAt === undefined ? undefined : new Date(startedAt),
        },
      })
      return incident
    },

    remove: (call) => removeIncident(call, baseUrl),

    addUpdate: async (call) => {
      if (call.body.status === undefined && call.body.message === undefined) {
        throw invalid({ field: 'message', message: 'status or message is needed' })
      }
      const amendment = { update: updateFrom(call.body), isPosted: true }
      const { incident, posted } = await amend(call, { baseUrl, amendment })
      return { ...presentUpdate(posted as IncidentUpdateRow), incident }
    },

    reopen: async (call) => {
      const update = updateFrom({ ...call.body, status: call.body.status ?? 'investigating' })
      const amendment = { update, isPosted: true }
      const { incident } = await amend(call, { baseUrl, amendment, onlyResolved: true })
      return incident
    },
  })

const openingFrom = (
  body: Body<typeof incidentOperations.create>,
  { organizationId, now }: Scope,
  source: IncidentSource,
): Opening => ({
  id: newId(),
  updateId: newId(),
  organizationId,
  title: body.title,
  status: body.status ?? 'investigating',
  impact: body.impact ?? 'minor',
  message: body.message ?? '',
  componentIds: body.componentIds ?? [],
  componentStatuses: body.componentStatuses ?? {},
  startedAt: body.startedAt === undefined ? now : new Date(body.startedAt),
  source,
  triggerComponentId: null,
})

/** What the three ways to amend an incident share. */
interface Amending {
  params: { id: string }
  body: Body<typeof incidentOperations.addUpdate>
  ifMatch: number | null
  change: Call['change']
}

interface Amended {
  baseUrl: string
  amendment: Amendment
  onlyResolved?: boolean
}

const amend = (call: Amending, { baseUrl, amendment, onlyResolved = false }: Amended) =>
  call.change(async (scope) => {
    const state = await lock(scope, call)
    if (onlyResolved && state.incident.status !== 'resolved') {
      throw conflict('invalid_state', 'Only a resolved incident can be reopened')
    }
    const named = { ...amendment, ...amendment.update }
    const live = await lockNamed(scope, named, state.components)
    const decision = amendIncident(state, amendment, live, scope.now)
    const { incident, update, verb } = decision
    const notifySubscribers = call.body.notifySubscribers ?? true
    const events = await carryOut(scope, decision, { notifySubscribers, baseUrl })
    const isUpdateAlone = amendment.isPosted && verb === 'updated' && update !== null
    const audited = isUpdateAlone
      ? auditUpdate(incident, update)
      : auditIncident('update', state.incident, incident)
    return {
      result: { incident: await presentOne(scope, incident, baseUrl), posted: update },
      events,
      audit: verb === null ? [] : [audited],
    }
  })

const removeIncident = (
  call: Pick<Call, 'change' | 'ifMatch'> & { params: { id: string } },
  baseUrl: string,
) =>
  call.change(async (scope) => {
    const { incident, components } = await lock(scope, call)
    const live = await lockNamed(scope, {}, components)
    const deleted = { ...incident, version: incident.version + 1 }
    const told = { message: '', notifySubscribers: false, baseUrl }
    const event = await stateIncident(scope, deleted, { ...told, verb: 'deleted' })
    await showClaims(scope, claimsOnDeleting(incident.id, live))
    await store.removeIncident(scope, incident.id)
    return {
      result: success,
      events: [event],
      audit: [auditIncident('delete', incident, incident)],
    }
  })

/** Null where nothing was said that would be an update. */
const updateFrom = (body: Body<typeof incidentOperations.addUpdate>): NewUpdate | null => {
  const { status, message, componentStatuses } = body
  const isSilent = [status, message, componentStatuses].every((value) => value === undefined)
  if (isSilent) return null
  return {
    id: newId(),
    status: status ?? null,
    message: message ?? '',
    componentStatuses: componentStatuses ?? {},
    byPerson: true,
  }
}

const lock = async (scope: Scope, call: Pick<Amending, 'params' | 'ifMatch'>) => {
  const state = await store.lockIncident(scope, call.params.id)
  if (state === undefined) throw notFound()
  checkVersion(state.incident, call.ifMatch)
  return state
}

const presentOne = async (
  scope: Scope,
  row: IncidentRow,
  baseUrl: string,
  include: readonly string[] = [],
): Promise<Incident> => {
  const withUpdates = include.includes('updates')
  const [incident] = await presentIncidents(scope, [row], { baseUrl, withUpdates })
  return incident as Incident
}
