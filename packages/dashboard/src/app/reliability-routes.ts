/** Addresses of the maintenances and of the service levels. */
import { createRoute } from '@tanstack/react-router'
import { readFilters as readMaintenanceFilters } from '../maintenances/filters.ts'
import { lazyView } from '../modules/lazy-view.ts'
import { readFilters as readServiceLevelFilters } from '../service-levels/filters.ts'
import { withTexts } from '../texts/language.ts'
import { root } from './root-route.ts'

const maintenances = createRoute({
  getParentRoute: () => root,
  path: '/maintenances',
  validateSearch: readMaintenanceFilters,
  component: lazyView(
    withTexts(() => import('../maintenances/maintenances-screen.tsx'), 'maintenance'),
    'MaintenancesScreen',
  ),
})

const newMaintenance = createRoute({
  getParentRoute: () => root,
  path: '/maintenances/new',
  component: lazyView(
    withTexts(() => import('../maintenances/new-screen.tsx'), 'maintenance'),
    'NewMaintenanceScreen',
  ),
})

const maintenance = createRoute({
  getParentRoute: () => root,
  path: '/maintenances/$id',
  component: lazyView(
    withTexts(() => import('../maintenances/detail-screen.tsx'), 'maintenance'),
    'MaintenanceScreen',
  ),
})

const maintenanceEditor = createRoute({
  getParentRoute: () => root,
  path: '/maintenances/$id/edit',
  component: lazyView(
    withTexts(() => import('../maintenances/edit-screen.tsx'), 'maintenance'),
    'EditMaintenanceScreen',
  ),
})

const serviceLevels = createRoute({
  getParentRoute: () => root,
  path: '/service-levels',
  validateSearch: readServiceLevelFilters,
  component: lazyView(
    withTexts(() => import('../service-levels/service-levels-screen.tsx'), 'serviceLevel'),
    'ServiceLevelsScreen',
  ),
})

const newServiceLevel = createRoute({
  getParentRoute: () => root,
  path: '/service-levels/new',
  component: lazyView(
    withTexts(() => import('../service-levels/editor-screens.tsx'), 'serviceLevel'),
    'NewServiceLevelScreen',
  ),
})

const serviceLevel = createRoute({
  getParentRoute: () => root,
  path: '/service-levels/$id',
  component: lazyView(
    withTexts(() => import('../service-levels/detail-screen.tsx'), 'serviceLevel'),
    'ServiceLevelScreen',
  ),
})

const serviceLevelEditor = createRoute({
  getParentRoute: () => root,
  path: '/service-levels/$id/edit',
  component: lazyView(
    withTexts(() => import('../service-levels/editor-screens.tsx'), 'serviceLevel'),
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
