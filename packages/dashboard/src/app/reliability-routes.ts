/** Addresses of the maintenances and of the service levels. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readFilters as readMaintenanceFilters } from '../maintenances/filters.ts'
import { readFilters as readServiceLevelFilters } from '../service-levels/filters.ts'
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

const serviceLevels = createRoute({
  getParentRoute: () => root,
  path: '/service-levels',
  validateSearch: readServiceLevelFilters,
  component: lazyRouteComponent(
    () => import('../service-levels/service-levels-screen.tsx'),
    'ServiceLevelsScreen',
  ),
})

const newServiceLevel = createRoute({
  getParentRoute: () => root,
  path: '/service-levels/new',
  component: lazyRouteComponent(
    () => import('../service-levels/editor-screens.tsx'),
    'NewServiceLevelScreen',
  ),
})

const serviceLevel = createRoute({
  getParentRoute: () => root,
  path: '/service-levels/$id',
  component: lazyRouteComponent(
    () => import('../service-levels/detail-screen.tsx'),
    'ServiceLevelScreen',
  ),
})

const serviceLevelEditor = createRoute({
  getParentRoute: () => root,
  path: '/service-levels/$id/edit',
  component: lazyRouteComponent(
    () => import('../service-levels/editor-screens.tsx'),
    'EditServiceLevelScreen',
  ),
})

export const maintenanceRoutes = [
  maintenances,
  newMaintenance,
  maintenance,
  maintenanceEditor,
] as const

export const serviceLevelRoutes = [
  serviceLevels,
  newServiceLevel,
  serviceLevel,
  serviceLevelEditor,
] as const
