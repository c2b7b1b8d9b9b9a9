/** Public operations; each one checks access to its page. */
import { listReply, publicOperations, success } from '@status-page/contracts'
import { type Route, route } from '@status-page/service'
import * as incidentStore from '../incidents/store.ts'
import { checkTimeRange } from '../time-range.ts'
import { asJson, maxAgeWith, SLOW_MAX_AGE_SECONDS } from './caching.ts'
import { contentTypes } from './feeds.ts'
import { calendarOf, publicMaintenances } from './maintenances.ts'
import { withPageAccess } from './page-access.ts'
import { badgeOf, feedOf, incidentOf, incidentsOf, statusOf } from './page-queries.ts'
import { type AccessDeps, grantPageAccess } from './password-access.ts'

export const publicRoutes = (deps: AccessDeps): Route[] =>
  route(publicOperations, {
    status: (call) =>
      withPageAccess(deps, call, async (view) => {
        const status = await statusOf(view)
        return asJson(status, maxAgeWith(status))
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
        return asJson(listReply(query, total, await incidentsOf(view, rows)))
      })
    },

    incident: (call) =>
      withPageAccess(deps, call, async (view) => asJson(await incidentOf(view, call.params.id))),

    maintenances: (call) =>
      withPageAccess(deps, call, async (view) =>
        asJson(await publicMaintenances(view, call.query)),
      ),

    calendar: (call) =>
      withPageAccess(deps, call, async (view) => ({
        body: await calendarOf(view),
        contentType: 'text/calendar; charset=utf-8',
        maxAgeSeconds: SLOW_MAX_AGE_SECONDS,
      })),

    feed: (call) =>
      withPageAccess(deps, call, async (view) => {
        const { format } = call.query
        return {
          body: await feedOf(view, call.query),
          contentType: contentTypes[format],
          maxAgeSeconds: SLOW_MAX_AGE_SECONDS,
        }
      }),

    badge: (call) =>
      withPageAccess(deps, call, async (view) => ({
        body: await badgeOf(view, call.query),
        contentType: 'image/svg+xml; charset=utf-8',
        maxAgeSeconds: SLOW_MAX_AGE_SECONDS,
      })),

    access: async (call) => {
      for (const cookie of await grantPageAccess(deps, call)) call.addCookie(cookie)
      return success
    },
  })
