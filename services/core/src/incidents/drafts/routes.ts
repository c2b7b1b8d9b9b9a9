/** Routes of incident drafts. */
import {
  conflict,
  type Incident,
  incidentDraftOperations,
  listReply,
  notFound,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { type Call, createRoutes, type Route } from '@status-page/service'
import type { IncidentDraftRow } from '../../tables.ts'
import { incidentSourceOf } from '../rules.ts'
import { presentIncidents } from '../view.ts'
import { publishDraft } from './publish.ts'
import { auditDraft, presentDraft, requireWaitingDraft, vetoDraft } from './rules.ts'
import * as store from './store.ts'
import { draftClosedEvents } from './view.ts'

export const incidentDraftRoutes = ({ baseUrl }: { baseUrl: string }): Route[] =>
  createRoutes(incidentDraftOperations, {
    list: async ({ query, read }) => {
      const { rows, total } = await read((scope) => store.listDrafts(scope, query))
      return listReply(query, total, rows.map(presentDraft))
    },

    read: ({ params, read }) =>
      read(async (scope) => {
        const row = await store.findDraft(scope, params.id)
        if (row === undefined) throw notFound()
        return presentDraft(row)
      }),

    publish: async (call) => {
      const incident = await publishOnRequest(call, baseUrl)
      if (incident !== null) return incident
      throw conflict('invalid_state', 'All components of the draft have been deleted')
    },

    veto: ({ params, change }) =>
      change(async (scope) => {
        const before = await lockOr404(scope, params.id)
        const after = vetoDraft(before, scope.now)
        await store.saveDraft(scope, after)
        return {
          result: presentDraft(after),
          events: draftClosedEvents(before, after),
          audit: [auditDraft(before, after)],
        }
      }),
  })

const publishOnRequest = (
  { params, body, actor, change }: Call<typeof incidentDraftOperations.publish>,
  baseUrl: string,
): Promise<Incident | null> =>
  change(async (scope) => {
    const draft = await lockOr404(scope, params.id)
    requireWaitingDraft(draft)
    const { title = draft.title, message = draft.message, impact = draft.impact } = body
    const options = {
      source: incidentSourceOf(actor.type),
      notifySubscribers: body.notifySubscribers ?? true,
      baseUrl,
    }
    const { incident, ...changes } = await publishDraft(
      scope,
      { ...draft, title, message, impact },
      options,
    )
    const [result = null] =
      incident === null ? [] : await presentIncidents(scope, [incident], { baseUrl })
    return { result, ...changes }
  })

const lockOr404 = async (scope: Scope, id: string): Promise<IncidentDraftRow> => {
  const row = await store.lockDraft(scope, id)
  if (row === undefined) throw notFound()
  return row
}
