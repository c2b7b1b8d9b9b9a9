/** Public operations; each one checks access to its page. */
import { listReply, publicOperations, successReply } from '@status-page/contracts'
import { createRoutes, type Route } from '@status-page/service'
import * as incidentStore from '../../incidents/store.ts'
import { checkTimeRange } from '../../time-range.ts'
import { jsonResponse, SLOW_MAX_AGE_SECONDS, statusMaxAgeSeconds } from '../access/caching.ts'
import { withPageAccess } from '../access/page-access.ts'
import { grantPageAccess, type PasswordAccessDeps } from '../access/password-access.ts'
import { feedContentTypes } from './feeds.ts'
import { listPublicMaintenances, preparePageCalendar } from './maintenances.ts'
import {
  findPublicIncident,
  loadPageStatus,
  loadPublicIncidents,
  preparePageBadge,
  preparePageFeed,
} from './page-queries.ts'

export const publicRoutes = (deps: PasswordAccessDeps): Route[] =>
  createRoutes(publicOperations, {
    status: (call) =>
      withPageAccess(deps, call, async (view) => {
        const status = await loadPageStatus(view, call.query.metricRange)
        return jsonResponse(status, statusMaxAgeSeconds(status))
      }),

    incidents: async (call) => {
      const { query } = call
      checkTimeRange(query)
      return withPageAccess(deps, call, async (view) => {
        const onlyShown = [...view.shown.keys()]
        const { rows, total } = await incidentStore.listIncidents(view.scope, {
          ...query,
          onlyShown,
          retainedOn: view.page.id,
        })
        return jsonResponse(listReply(query, total, await loadPublicIncidents(view, rows)))
      })
    },

    incident: (call) =>
      withPageAccess(deps, call, async (view) =>
        jsonResponse(await findPublicIncident(view, call.params.id)),
      ),

    maintenances: (call) =>
      withPageAccess(deps, call, async (view) =>
        jsonResponse(await listPublicMaintenances(view, call.query)),
      ),

    calendar: (call) =>
      withPageAccess(deps, call, async (view) => ({
        body: await preparePageCalendar(view),
        contentType: 'text/calendar; charset=utf-8',
        maxAgeSeconds: SLOW_MAX_AGE_SECONDS,
      })),

    feed: (call) =>
      withPageAccess(deps, call, async (view) => {
        const { format } = call.query
        return {
          body: await preparePageFeed(view, call.query),
          contentType: feedContentTypes[format],
          maxAgeSeconds: SLOW_MAX_AGE_SECONDS,
        }
      }),

    badge: (call) =>
      withPageAccess(deps, call, async (view) => ({
        body: await preparePageBadge(view, call.query),
        contentType: 'image/svg+xml; charset=utf-8',
        maxAgeSeconds: SLOW_MAX_AGE_SECONDS,
      })),

    access: async (call) => {
      for (const cookie of await grantPageAccess(deps, call)) call.addCookie(cookie)
      return successReply
    },
  })
