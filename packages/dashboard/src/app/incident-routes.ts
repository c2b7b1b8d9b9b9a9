/** Addresses of the incidents. */
import { createRoute } from '@tanstack/react-router'
import { readFilters } from '../incidents/filters.ts'
import { lazyView } from '../modules/lazy-view.ts'
import { withTexts } from '../texts/language.ts'
import { root } from './root-route.ts'

const incidents = createRoute({
  getParentRoute: () => root,
  path: '/incidents',
  validateSearch: readFilters,
  component: lazyView(() => import('../incidents/list-screen.tsx'), 'IncidentsScreen'),
})

const incident = createRoute({
  getParentRoute: () => root,
  path: '/incidents/$id',
  component: lazyView(
    withTexts(() => import('../incidents/detail-screen.tsx'), 'deliveries'),
    'IncidentScreen',
  ),
})

const postmortem = createRoute({
  getParentRoute: () => root,
  path: '/incidents/$id/postmortem',
  component: lazyView(
    withTexts(() => import('../incidents/postmortem-screen.tsx'), 'postmortem'),
    'PostmortemScreen',
  ),
})

export const incidentRoutes = [incidents, incident, postmortem] as const
