/** Documents of the Statuspage API, version 2, for existing clients. */
import { type PublicMaintenance, statuspageOperations } from '@status-page/contracts'
import { type RawReply, type Route, route } from '@status-page/service'
import { listIncidents } from '../incidents/store.ts'
import { listMaintenances } from '../maintenances/lists.ts'
import { asJson } from './caching.ts'
import { type GateDeps, type PageCall, type View, withPageAccess } from './gate.ts'
import { projected } from './maintenances.ts'
import { incidentsOf, stateOf } from './reading.ts'
import { componentsOf, incidentAs, maintenanceAs, pageOf } from './statuspage.ts'

const MAX_LISTED = 50

export const statuspageRoutes = (deps: GateDeps): Route[] => {
  const document = documentOn(deps)
  return route(statuspageOperations, {
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

type State = Awaited<ReturnType<typeof stateOf>>

type Fields = (view: View, state: State) => Promise<object>

const documentWith =
  (fields: Fields) =>
  async (view: View): Promise<object> => {
    const state = await stateOf(view)
    return { page: pageOf(state.page), ...(await fields(view, state)) }
  }

const contextOf = ({ shown, page }: View) => ({
  components: componentsOf(shown, page.id),
  pageId: page.id,
})

const components = (view: View) => ({ components: [...contextOf(view).components.values()] })

const unresolved = (view: View, { activeIncidents }: State) => {
  const context = contextOf(view)
  return { incidents: activeIncidents.map((one) => incidentAs(one, context)) }
}

const newest = async (view: View) => {
  const { rows } = await listIncidents(view.scope, {
    page: 1,
    pageSize: MAX_LISTED,
    sortBy: 'createdAt',
    onlyShown: [...view.shown.keys()],
    retainedOn: view.page.id,
  })
  const context = contextOf(view)
  return { incidents: (await incidentsOf(view, rows)).map((one) => incidentAs(one, context)) }
}

const planned = (view: View, maintenances: readonly PublicMaintenance[]) => {
  const context = contextOf(view)
  return { scheduled_maintenances: maintenances.map((one) => maintenanceAs(one, context)) }
}

/** Statuspage has no cancelled maintenances. */
const allPlanned = async (view: View) => {
  const { rows } = await listMaintenances(view.scope, {
    page: 1,
    pageSize: MAX_LISTED,
    sortBy: 'scheduledFor',
    onlyShown: [...view.shown.keys()],
  })
  const known = rows.filter(({ status }) => status !== 'cancelled')
  return planned(view, await projected(view, known))
}

/** Documents by their names below `/api/v2/`. */
export const statuspageDocuments = {
  summary: documentWith(async (view, state) => ({
    status: state.status,
    ...components(view),
    ...unresolved(view, state),
    ...planned(view, [...state.maintenances.active, ...state.maintenances.upcoming]),
  })),
  status: documentWith(async (_view, { status }) => ({ status })),
  components: documentWith(async (view) => components(view)),
  incidents: documentWith(newest),
  'incidents/unresolved': documentWith(async (view, state) => unresolved(view, state)),
  'scheduled-maintenances': documentWith(allPlanned),
  'scheduled-maintenances/upcoming': documentWith(async (view, { maintenances }) =>
    planned(view, maintenances.upcoming),
  ),
  'scheduled-maintenances/active': documentWith(async (view, { maintenances }) =>
    planned(view, maintenances.active),
  ),
}

const documentOn =
  (deps: GateDeps) =>
  (file: keyof typeof statuspageDocuments) =>
  (call: PageCall): Promise<RawReply> =>
    withPageAccess(deps, call, async (view) => asJson(await statuspageDocuments[file](view)))
