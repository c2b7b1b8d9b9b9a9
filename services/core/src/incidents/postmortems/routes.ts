/** Operations of postmortems; each is a change of its incident. */
import {
  type Body,
  type EventDraft,
  notFound,
  orNotFound,
  postmortemOperations,
  successReply,
} from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { createRoutes, type Route } from '@status-page/service'
import type { IncidentRow, PostmortemRow } from '../../tables.ts'
import { lockRequestedIncident } from '../changes.ts'
import { findIncident, saveIncident } from '../store.ts'
import { incidentEvent } from '../view.ts'
import { incidentWithPostmortem, writePostmortem } from './rules.ts'
import * as store from './store.ts'
import { auditPostmortem, presentPostmortem } from './view.ts'

export const postmortemRoutes = ({ baseUrl }: { baseUrl: string }): Route[] =>
  createRoutes(postmortemOperations, {
    read: ({ params, read }) =>
      read(async (scope) => {
        if ((await findIncident(scope, params.id)) === undefined) throw notFound()
        return presentPostmortem(await findOfIncident(scope, params.id))
      }),

    replace: (call) =>
      call.change(async (scope) => {
        const { incident } = await lockRequestedIncident(scope, call)
        const before = (await store.findPostmortem(scope, incident.id)) ?? null
        const after = writePostmortem({ id: newId(), incident, before, body: call.body }, scope.now)
        if (after === null) return { result: presentPostmortem(before as PostmortemRow) }
        const changed = incidentWithPostmortem(incident, { before, after }, scope.now)
        await saveIncident(scope, changed)
        await store.savePostmortem(scope, after)
        return {
          result: presentPostmortem(after),
          events: await publicationEvents(scope, changed, after, { ...call.body, baseUrl }),
          audit: [auditPostmortem(before ? 'update' : 'create', incident, { before, after })],
        }
      }),

    remove: (call) =>
      call.change(async (scope) => {
        const { incident } = await lockRequestedIncident(scope, call)
        const before = await findOfIncident(scope, incident.id)
        await saveIncident(
          scope,
          incidentWithPostmortem(incident, { before, after: null }, scope.now),
        )
        await store.removePostmortem(scope, before.id)
        return {
          result: successReply,
          events: [],
          audit: [auditPostmortem('delete', incident, { before, after: before })],
        }
      }),
  })

const findOfIncident = async (scope: Scope, incidentId: string): Promise<PostmortemRow> =>
  orNotFound(await store.findPostmortem(scope, incidentId))

/**
 * Publishes an event only on request and only for a published postmortem; its message is the
 * summary.
 */
const publicationEvents = async (
  scope: Scope,
  incident: IncidentRow,
  { publishedAt, summary }: PostmortemRow,
  options: Pick<Body<typeof postmortemOperations.replace>, 'notifySubscribers'> & {
    baseUrl: string
  },
): Promise<EventDraft[]> => {
  const { notifySubscribers = false, baseUrl } = options
  if (!notifySubscribers || publishedAt === null) return []
  const event = { verb: 'updated' as const, message: summary, notifySubscribers, baseUrl }
  return [await incidentEvent(scope, incident, event)]
}
