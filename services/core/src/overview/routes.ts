/** Operation of the overview: the contents of a first screen in one response. */
import {
  grantsMeet,
  MAX_OVERVIEW_ITEMS,
  type Overview,
  overviewOperations,
  type PendingDeliveries,
  pendingDeliveryOperations,
  type ResourceName,
  requirementOf,
  UPCOMING_HOURS,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { type Call, type Client, createRoutes, type Route } from '@status-page/service'
import { presentDraft } from '../incidents/drafts/rules.ts'
import { listDrafts } from '../incidents/drafts/store.ts'

import { listIncidents } from '../incidents/store.ts'
import { presentIncidents } from '../incidents/view.ts'
import { listMaintenances, type MaintenanceFilter } from '../maintenances/lists.ts'
import { presentMaintenances } from '../maintenances/view.ts'
import { listAlerts } from '../oncall/alerts/store.ts'
import { presentAlert } from '../oncall/alerts/view.ts'
import { presentSla } from '../sla/rules.ts'
import { listSlas } from '../sla/store.ts'
import * as store from './store.ts'

const HOUR_MS = 3_600_000
const DELIVERIES_TIMEOUT_MS = 1_000

const firstPage = { page: 1, pageSize: MAX_OVERVIEW_ITEMS }

interface OverviewDeps {
  baseUrl: string
  notifier: Client
}

export const overviewRoutes = (deps: OverviewDeps): Route[] =>
  createRoutes(overviewOperations, {
    read: async (call) => {
      const canRead = (resource: ResourceName) =>
        grantsMeet(call.caller.grants, requirementOf(`${resource}:read`, 'GET'))
      const part = <Part>(resource: ResourceName, load: () => Promise<Part>) =>
        canRead(resource) ? load() : null
      const [ofCore, deliveries] = await Promise.all([
        call.read(
          async (scope): Promise<Omit<Overview, 'deliveries'>> => ({
            generatedAt: scope.now.toISOString(),
            components: await part('components', () => loadComponents(scope)),
            incidents: await part('incidents', () => loadIncidents(scope, deps)),
            drafts: await part('incidents', () => loadDrafts(scope)),
            maintenances: await part('maintenances', () => loadMaintenances(scope, deps)),
            alerts: await part('oncall', () => loadAlerts(scope)),
            slas: await part('sla', () => loadSlas(scope)),
          }),
        ),
        part('notifications', () => loadDeliveries(call, deps)),
      ])
      return { ...ofCore, deliveries }
    },
  })

const loadComponents = async (scope: Scope) => {
  const byStatus = await store.countComponentsByStatus(scope)
  return {
    total: Object.values(byStatus).reduce((sum, total) => sum + total, 0),
    byStatus,
    disrupted: await store.listDisruptedComponents(scope, MAX_OVERVIEW_ITEMS),
  }
}

const loadIncidents = async (scope: Scope, { baseUrl }: OverviewDeps) => {
  const query = { ...firstPage, sortBy: 'impact', sortOrder: 'desc', resolved: false } as const
  const { rows, total } = await listIncidents(scope, query)
  const items = await presentIncidents(scope, rows, { baseUrl })
  return { open: { total, items }, overdue: await store.countOverdueIncidents(scope) }
}

const loadDrafts = async (scope: Scope) => {
  const query = { ...firstPage, sortBy: 'createdAt', status: 'waiting' } as const
  const { rows, total } = await listDrafts(scope, query)
  return { total, items: rows.map(presentDraft) }
}

const loadMaintenances = async (scope: Scope, { baseUrl }: OverviewDeps) => {
  const load = async (filter: Partial<MaintenanceFilter>) => {
    const query = { ...firstPage, sortBy: 'scheduledFor', sortOrder: 'asc', ...filter } as const
    const { rows, total } = await listMaintenances(scope, query)
    return { total, items: await presentMaintenances(scope, rows, { baseUrl, withUpdates: false }) }
  }
  const to = new Date(scope.now.getTime() + UPCOMING_HOURS * HOUR_MS).toISOString()
  return {
    active: await load({ active: true }),
    upcoming: await load({ upcoming: true, from: scope.now.toISOString(), to }),
  }
}

const loadAlerts = async (scope: Scope) => {
  const query = { ...firstPage, sortBy: 'triggeredAt', status: 'triggered' } as const
  const { rows, total } = await listAlerts(scope, query)
  return { total, items: rows.map(presentAlert) }
}

const loadSlas = async (scope: Scope) => {
  const load = async (status: 'breached' | 'at_risk') => {
    const { rows, total } = await listSlas(scope, { ...firstPage, sortBy: 'name', status })
    return { total, items: rows.map((row) => presentSla(row, row.current)) }
  }
  return { breached: await load('breached'), atRisk: await load('at_risk') }
}

const loadDeliveries = (
  { caller, requestId }: Pick<Call, 'caller' | 'requestId'>,
  { notifier }: OverviewDeps,
): Promise<PendingDeliveries | null> =>
  notifier
    .call(pendingDeliveryOperations.read, { caller, requestId, timeoutMs: DELIVERIES_TIMEOUT_MS })
    .catch(() => null)
