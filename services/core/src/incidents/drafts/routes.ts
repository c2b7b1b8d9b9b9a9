/** Routes of incident drafts. */
import {
  conflict,
  type Incident,
  incidentDraftOperations,
  listReply,
  orNotFound,
} from '@status-page/contracts'
import { type Call, createRoutes, type Route } from '@status-page/service'
import { incidentSourceOf } from '../rules.ts'
import { presentIncidents } from '../view.ts'
import { publishWaitingDraft, vetoWaitingDraft } from './publish.ts'
import { presentDraft } from './rules.ts'
import * as store from './store.ts'

export const incidentDraftRoutes = ({ baseUrl }: { baseUrl: string }): Route[] =>
  createRoutes(incidentDraftOperations, {
    list: async ({ query, read }) => {
      const { rows, total } = await read((scope) => store.listDrafts(scope, query))
      return listReply(query, total, rows.map(presentDraft))
    },

    read: ({ params, read }) =>
      read(async (scope) => presentDraft(orNotFound(await store.findDraft(scope, params.id)))),

    publish: async (call) => {
      const incident = await publishOnRequest(call, baseUrl)
      if (incident !== null) return incident
      throw conflict('invalid_state', 'All components of the draft have been deleted')
    },

    veto: ({ params, change }) =>
      change(async (scope) => {
        const { result, ...changes } = await vetoWaitingDraft(scope, params.id)
        return { result: presentDraft(result), ...changes }
      }),
  })

const publishOnRequest = (
  { params, body, actor, change }: Call<typeof incidentDraftOperations.publish>,
  baseUrl: string,
): Promise<Incident | null> =>
  change(async (scope) => {
    const { notifySubscribers = true, ...edited } = body
    const source = incidentSourceOf(actor.type)
    const options = { source, notifySubscribers, baseUrl }
    const { incident, ...changes } = await publishWaitingDraft(scope, params.id, edited, options)
    const [result = null] =
      incident === null ? [] : await presentIncidents(scope, [incident], { baseUrl })
    return { result, ...changes }
  })
