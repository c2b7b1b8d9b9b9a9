/** Addresses of the maintenances. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readFilters as readMaintenanceFilters } from '../maintenances/filters.ts'
import { root } from './root-route.ts'

const maintenances = createRoute({
  getParentRoute: () => root,
  path: '/maintenances',
  validateSearch: readMaintenanceFilters,
  component: lazyRouteComponent(
    () => import('../maintenances/maintenances-screen.tsx'),
    'MaintenancesScreen',
  ),
})

const newMaintenance = createRoute({
  getParentRoute: () => root,
  path: '/maintenances/new',
  component: lazyRouteComponent(
    () => import('../maintenances/new-screen.tsx'),
    'NewMaintenanceScreen',
  ),
})

const maintenance = createRoute({
  getParentRoute: () => root,
  path: '/maintenances/$id',
  component: lazyRouteComponent(
    () => import('../maintenances/detail-screen.tsx'),
    'MaintenanceScreen',
  ),
})

const maintenanceEditor = createRoute({
  getParentRoute: () => root,
  path: '/maintenances/$id/edit',
  component: lazyRouteComponent(
    () => import('../maintenances/edit-screen.tsx'),
    'EditMaintenanceScreen',
  ),
})

export const maintenanceRoutes = [
  maintenances,
  newMaintenance,
  maintenance,
  maintenanceEditor,
] as const
