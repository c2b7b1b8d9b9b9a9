/** Documents of the Statuspage API, version 2, for existing clients. */
import { type PublicMaintenance, statuspageOperations } from '@status-page/contracts'
import { createRoutes, type RawReply, type Route } from '@status-page/service'
import { listIncidents } from '../../incidents/store.ts'
import { listMaintenances } from '../../maintenances/lists.ts'
import { jsonResponse } from '../access/caching.ts'
import {
  type PageAccessDeps,
  type PageAccessRequest,
  type PageView,
  withPageAccess,
} from '../access/page-access.ts'
import { toPublicMaintenances } from './maintenances.ts'
import { loadPageSummary, loadPublicIncidents } from './page-queries.ts'
import {
  toStatuspageComponents,
  toStatuspageIncident,
  toStatuspageMaintenance,
  toStatuspagePage,
} from './statuspage.ts'

const MAX_LISTED = 50

export const statuspageRoutes = (deps: PageAccessDeps): Route[] => {
  const document = documentOn(deps)
  return createRoutes(statuspageOperations, {
    summary: document('summary'),
    status: document('status'),
    components: document('components'),
    incidents: document('incidents'),
    unresolved: document('incidents/unresolved'),
    maintenances: document('scheduled-maintenances'),
    upcoming: document('scheduled-maintenances/upcoming'),
    active: document('scheduled-maintenances/active'),
  })
}

type State = Awaited<ReturnType<typeof loadPageSummary>>

type Fields = (view: PageView, state: State) => Promise<object>

const documentWith =
  (fields: Fields) =>
  async (view: PageView): Promise<object> => {
    const state = await loadPageSummary(view)
    return { page: toStatuspagePage(state.page), ...(await fields(view, state)) }
  }

const contextOf = ({ shown, page }: PageView) => ({
  components: toStatuspageComponents(shown, page.id),
  pageId: page.id,
})

const components = (view: PageView) => ({ components: [...contextOf(view).components.values()] })

const unresolved = (view: PageView, { activeIncidents }: State) => {
  const context = contextOf(view)
  return { incidents: activeIncidents.map((incident) => toStatuspageIncident(incident, context)) }
}

const newest = async (view: PageView) => {
  const { rows } = await listIncidents(view.scope, {
    page: 1,
    pageSize: MAX_LISTED,
    sortBy: 'createdAt',
    onlyShown: [...view.shown.keys()],
    retainedOn: view.page.id,
  })
  const context = contextOf(view)
  return {
    incidents: (await loadPublicIncidents(view, rows)).map((incident) =>
      toStatuspageIncident(incident, context),
    ),
  }
}

const maintenanceList = (view: PageView, maintenances: readonly PublicMaintenance[]) => {
  const context = contextOf(view)
  return {
    scheduled_maintenances: maintenances.map((maintenance) =>
      toStatuspageMaintenance(maintenance, context),
    ),
  }
}

/** Statuspage has no cancelled maintenances. */
const allMaintenances = async (view: PageView) => {
  const { rows } = await listMaintenances(view.scope, {
    page: 1,
    pageSize: MAX_LISTED,
    sortBy: 'scheduledFor',
    onlyShown: [...view.shown.keys()],
    retainedOn: view.page.id,
  })
  const listed = rows.filter(({ status }) => status !== 'cancelled')
  return maintenanceList(view, await toPublicMaintenances(view, listed))
}

/** Documents by their names below `/api/v2/`. */
export const statuspageDocuments = {
  summary: documentWith(async (view, state) => ({
    status: state.status,
    ...components(view),
    ...unresolved(view, state),
    ...maintenanceList(view, [...state.maintenances.active, ...state.maintenances.upcoming]),
  })),
  status: documentWith(async (_view, { status }) => ({ status })),
  components: documentWith(async (view) => components(view)),
  incidents: documentWith(newest),
  'incidents/unresolved': documentWith(async (view, state) => unresolved(view, state)),
  'scheduled-maintenances': documentWith(allMaintenances),
  'scheduled-maintenances/upcoming': documentWith(async (view, { maintenances }) =>
    maintenanceList(view, maintenances.upcoming),
  ),
  'scheduled-maintenances/active': documentWith(async (view, { maintenances }) =>
    maintenanceList(view, maintenances.active),
  ),
}

const documentOn =
  (deps: PageAccessDeps) =>
  (file: keyof typeof statuspageDocuments) =>
  (call: PageAccessRequest): Promise<RawReply> =>
    withPageAccess(deps, call, async (view) => jsonResponse(await statuspageDocuments[file](view)))
