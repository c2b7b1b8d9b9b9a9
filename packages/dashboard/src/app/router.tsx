/** Addresses of the dashboard; each view is a module of its own, loaded when it is opened. */
import { createRoute, createRouter } from '@tanstack/react-router'
import { dashboardPath } from '../api/client.ts'
import { auditFiltersOf } from '../audit/filters.ts'
import { componentSearchOf } from '../components/search.ts'
import { lazyView } from '../modules/lazy-view.ts'
import { readAlertFilters } from '../oncall/alert-filters.ts'
import { memberSearchOf } from '../people/member-search.ts'
import { withTexts } from '../texts/language.ts'
import { communicationRoutes } from './communication-routes.ts'
import { incidentRoutes } from './incident-routes.ts'
import { configurationRoutes, integrationRoutes } from './operation-routes.ts'
import { ViewProblemScreen } from './problem.tsx'
import { maintenanceRoutes, serviceLevelRoutes } from './reliability-routes.ts'
import { root } from './root-route.ts'

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyView(() => import('../overview/overview-screen.tsx'), 'OverviewScreen'),
})

const checklist = createRoute({
  getParentRoute: () => root,
  path: '/start',
  component: lazyView(
    withTexts(() => import('../first-run/checklist-screen.tsx'), 'firstRun', 'imports'),
    'ChecklistScreen',
  ),
})

const statuspageImport = createRoute({
  getParentRoute: () => root,
  path: '/start/import',
  component: lazyView(
    withTexts(() => import('../imports/import-screen.tsx'), 'imports'),
    'ImportScreen',
  ),
})

const step = createRoute({
  getParentRoute: () => root,
  path: '/start/$step',
  component: lazyView(
    withTexts(() => import('../first-run/step-screen.tsx'), 'firstRun', 'access'),
    'StepScreen',
  ),
})

const components = createRoute({
  getParentRoute: () => root,
  path: '/components',
  validateSearch: componentSearchOf,
  component: lazyView(
    withTexts(() => import('../components/components-screen.tsx'), 'componentScreens'),
    'ComponentsScreen',
  ),
})

const newComponent = createRoute({
  getParentRoute: () => root,
  path: '/components/new',
  component: lazyView(
    withTexts(
      () => import('../components/new-component-screen.tsx'),
      'componentScreens',
      'conditions',
      'vendor',
    ),
    'NewComponentScreen',
  ),
})

const component = createRoute({
  getParentRoute: () => root,
  path: '/components/$id',
  component: lazyView(
    withTexts(
      () => import('../components/component-screen.tsx'),
      'componentScreens',
      'measurements',
      'vendor',
    ),
    'MonitoringScreen',
  ),
})

const componentSettings = createRoute({
  getParentRoute: () => root,
  path: '/components/$id/settings',
  component: lazyView(
    withTexts(
      () => import('../components/component-screen.tsx'),
      'componentScreens',
      'conditions',
      'vendor',
    ),
    'SettingsScreen',
  ),
})

const onCall = createRoute({
  getParentRoute: () => root,
  path: '/on-call',
  component: lazyView(
    withTexts(() => import('../oncall/on-call-screen.tsx'), 'onCall'),
    'OnCallScreen',
  ),
})

const newSchedule = createRoute({
  getParentRoute: () => root,
  path: '/on-call/schedules/new',
  component: lazyView(
    withTexts(() => import('../oncall/schedule-form-screens.tsx'), 'onCall'),
    'NewScheduleScreen',
  ),
})

const schedule = createRoute({
  getParentRoute: () => root,
  path: '/on-call/schedules/$id',
  component: lazyView(
    withTexts(() => import('../oncall/schedule-screen.tsx'), 'onCall'),
    'ScheduleScreen',
  ),
})

const scheduleSettings = createRoute({
  getParentRoute: () => root,
  path: '/on-call/schedules/$id/settings',
  component: lazyView(
    withTexts(() => import('../oncall/schedule-form-screens.tsx'), 'onCall'),
    'ScheduleSettingsScreen',
  ),
})

const alerts = createRoute({
  getParentRoute: () => root,
  path: '/on-call/alerts',
  validateSearch: readAlertFilters,
  component: lazyView(
    withTexts(() => import('../oncall/alerts-screen.tsx'), 'onCall'),
    'AlertsScreen',
  ),
})

const alert = createRoute({
  getParentRoute: () => root,
  path: '/on-call/alerts/$id',
  component: lazyView(
    withTexts(() => import('../oncall/alert-screen.tsx'), 'onCall'),
    'AlertScreen',
  ),
})

const people = createRoute({
  getParentRoute: () => root,
  path: '/people',
  validateSearch: memberSearchOf,
  component: lazyView(
    withTexts(() => import('../people/people-screen.tsx'), 'access'),
    'PeopleScreen',
  ),
})

const roles = createRoute({
  getParentRoute: () => root,
  path: '/people/roles',
  component: lazyView(
    withTexts(() => import('../people/roles-screen.tsx'), 'access'),
    'RolesScreen',
  ),
})

const newRole = createRoute({
  getParentRoute: () => root,
  path: '/people/roles/new',
  component: lazyView(
    withTexts(() => import('../people/role-screen.tsx'), 'access'),
    'NewRoleScreen',
  ),
})

const role = createRoute({
  getParentRoute: () => root,
  path: '/people/roles/$id',
  component: lazyView(
    withTexts(() => import('../people/role-screen.tsx'), 'access'),
    'RoleScreen',
  ),
})

const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  component: lazyView(
    withTexts(() => import('../keys/keys-screen.tsx'), 'access'),
    'KeysScreen',
  ),
})

const locations = createRoute({
  getParentRoute: () => root,
  path: '/locations',
  component: lazyView(
    withTexts(() => import('../locations/locations-screen.tsx'), 'locations'),
    'LocationsScreen',
  ),
})

const account = createRoute({
  getParentRoute: () => root,
  path: '/account',
  component: lazyView(
    withTexts(() => import('../account/account-screen.tsx'), 'ownAccount'),
    'AccountScreen',
  ),
})

const organization = createRoute({
  getParentRoute: () => root,
  path: '/organization',
  component: lazyView(
    withTexts(() => import('../organization/organization-screen.tsx'), 'organizationScreens'),
    'OrganizationScreen',
  ),
})

const sso = createRoute({
  getParentRoute: () => root,
  path: '/organization/sso',
  component: lazyView(
    withTexts(() => import('../organization/sso-screen.tsx'), 'organizationScreens'),
    'SsoScreen',
  ),
})

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: auditFiltersOf,
  component: lazyView(
    withTexts(() => import('../audit/audit-screen.tsx'), 'organizationScreens'),
    'AuditScreen',
  ),
})

const statusPages = createRoute({
  getParentRoute: () => root,
  path: '/pages',
  component: lazyView(
    withTexts(() => import('../status-pages/pages-screen.tsx'), 'statusPages'),
    'PagesScreen',
  ),
})

const newStatusPage = createRoute({
  getParentRoute: () => root,
  path: '/pages/new',
  component: lazyView(
    withTexts(() => import('../status-pages/new-page.tsx'), 'statusPages', 'firstRun'),
    'NewPageScreen',
  ),
})

const statusPage = createRoute({
  getParentRoute: () => root,
  path: '/pages/$id',
  component: lazyView(
    withTexts(() => import('../status-pages/design-screen.tsx'), 'statusPages'),
    'DesignScreen',
  ),
})

const statusPageDomain = createRoute({
  getParentRoute: () => root,
  path: '/pages/$id/domain',
  component: lazyView(
    withTexts(() => import('../status-pages/domain-screen.tsx'), 'statusPages'),
    'DomainScreen',
  ),
})

const statusPageEmbed = createRoute({
  getParentRoute: () => root,
  path: '/pages/$id/embed',
  component: lazyView(
    withTexts(() => import('../status-pages/embed-screen.tsx'), 'statusPages'),
    'EmbedScreen',
  ),
})

const signedIn = createRoute({
  getParentRoute: () => root,
  path: '/signed-in',
  component: lazyView(() => import('../session/signed-in-screen.tsx'), 'SignedInScreen'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    ...communicationRoutes,
    ...configurationRoutes,
    ...incidentRoutes,
    ...integrationRoutes,
    ...maintenanceRoutes,
    ...serviceLevelRoutes,
    overview,
    components,
    newComponent,
    component,
    componentSettings,
    onCall,
    newSchedule,
    schedule,
    scheduleSettings,
    alerts,
    alert,
    statusPages,
    newStatusPage,
    statusPage,
    statusPageDomain,
    statusPageEmbed,
    checklist,
    statuspageImport,
    step,
    people,
    roles,
    newRole,
    role,
    keys,
    locations,
    account,
    organization,
    sso,
    audit,
    signedIn,
  ]),
  basepath: dashboardPath,
  trailingSlash: 'never',
  scrollRestoration: true,
  // The part that scrolls on a phone.
  scrollToTopSelectors: ['#main'],
  // Loads the module of the view again, if it is that which failed.
  defaultErrorComponent: ({ error }) => (
    <ViewProblemScreen error={error} onRetry={() => router.invalidate()} />
  ),
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
