/** Addresses of the dashboard; each view is a module of its own, loaded when it is opened. */
import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { dashboardPath } from '../api/client.ts'
import { auditFiltersOf } from '../audit/filters.ts'
import { componentSearchOf } from '../components/search.ts'
import { readFilters } from '../incidents/filters.ts'
import { readAlertFilters } from '../oncall/alert-filters.ts'
import { memberSearchOf } from '../people/member-search.ts'
import { withTexts } from '../texts/language.ts'
import { communicationRoutes } from './communication-routes.ts'
import { configurationRoutes, integrationRoutes } from './operation-routes.ts'
import { ProblemScreen } from './problem.tsx'
import { maintenanceRoutes, serviceLevelRoutes } from './reliability-routes.ts'
import { root } from './root-route.ts'

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('../overview/overview-screen.tsx'), 'OverviewScreen'),
})

const incidents = createRoute({
  getParentRoute: () => root,
  path: '/incidents',
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import('../incidents/list-screen.tsx'), 'IncidentsScreen'),
})

const incident = createRoute({
  getParentRoute: () => root,
  path: '/incidents/$id',
  component: lazyRouteComponent(
    withTexts(() => import('../incidents/detail-screen.tsx'), 'deliveries'),
    'IncidentScreen',
  ),
})

const postmortem = createRoute({
  getParentRoute: () => root,
  path: '/incidents/$id/postmortem',
  component: lazyRouteComponent(
    () => import('../incidents/postmortem-screen.tsx'),
    'PostmortemScreen',
  ),
})

const checklist = createRoute({
  getParentRoute: () => root,
  path: '/start',
  component: lazyRouteComponent(
    withTexts(() => import('../first-run/checklist-screen.tsx'), 'firstRun', 'imports'),
    'ChecklistScreen',
  ),
})

const statuspageImport = createRoute({
  getParentRoute: () => root,
  path: '/start/import',
  component: lazyRouteComponent(
    withTexts(() => import('../imports/import-screen.tsx'), 'imports'),
    'ImportScreen',
  ),
})

const step = createRoute({
  getParentRoute: () => root,
  path: '/start/$step',
  component: lazyRouteComponent(
    withTexts(() => import('../first-run/step-screen.tsx'), 'firstRun'),
    'StepScreen',
  ),
})

const components = createRoute({
  getParentRoute: () => root,
  path: '/components',
  validateSearch: componentSearchOf,
  component: lazyRouteComponent(
    withTexts(() => import('../components/components-screen.tsx'), 'componentScreens'),
    'ComponentsScreen',
  ),
})

const newComponent = createRoute({
  getParentRoute: () => root,
  path: '/components/new',
  component: lazyRouteComponent(
    withTexts(() => import('../components/new-component-screen.tsx'), 'componentScreens'),
    'NewComponentScreen',
  ),
})

const component = createRoute({
  getParentRoute: () => root,
  path: '/components/$id',
  component: lazyRouteComponent(
    withTexts(() => import('../components/component-screen.tsx'), 'componentScreens'),
    'MonitoringScreen',
  ),
})

const componentSettings = createRoute({
  getParentRoute: () => root,
  path: '/components/$id/settings',
  component: lazyRouteComponent(
    withTexts(() => import('../components/component-screen.tsx'), 'componentScreens'),
    'SettingsScreen',
  ),
})

const onCall = createRoute({
  getParentRoute: () => root,
  path: '/on-call',
  component: lazyRouteComponent(
    withTexts(() => import('../oncall/on-call-screen.tsx'), 'onCall'),
    'OnCallScreen',
  ),
})

const newSchedule = createRoute({
  getParentRoute: () => root,
  path: '/on-call/schedules/new',
  component: lazyRouteComponent(
    withTexts(() => import('../oncall/schedule-form-screens.tsx'), 'onCall'),
    'NewScheduleScreen',
  ),
})

const schedule = createRoute({
  getParentRoute: () => root,
  path: '/on-call/schedules/$id',
  component: lazyRouteComponent(
    withTexts(() => import('../oncall/schedule-screen.tsx'), 'onCall'),
    'ScheduleScreen',
  ),
})

const scheduleSettings = createRoute({
  getParentRoute: () => root,
  path: '/on-call/schedules/$id/settings',
  component: lazyRouteComponent(
    withTexts(() => import('../oncall/schedule-form-screens.tsx'), 'onCall'),
    'ScheduleSettingsScreen',
  ),
})

const alerts = createRoute({
  getParentRoute: () => root,
  path: '/on-call/alerts',
  validateSearch: readAlertFilters,
  component: lazyRouteComponent(
    withTexts(() => import('../oncall/alerts-screen.tsx'), 'onCall'),
    'AlertsScreen',
  ),
})

const alert = createRoute({
  getParentRoute: () => root,
  path: '/on-call/alerts/$id',
  component: lazyRouteComponent(
    withTexts(() => import('../oncall/alert-screen.tsx'), 'onCall'),
    'AlertScreen',
  ),
})

const people = createRoute({
  getParentRoute: () => root,
  path: '/people',
  validateSearch: memberSearchOf,
  component: lazyRouteComponent(
    withTexts(() => import('../people/people-screen.tsx'), 'access'),
    'PeopleScreen',
  ),
})

const roles = createRoute({
  getParentRoute: () => root,
  path: '/people/roles',
  component: lazyRouteComponent(
    withTexts(() => import('../people/roles-screen.tsx'), 'access'),
    'RolesScreen',
  ),
})

const newRole = createRoute({
  getParentRoute: () => root,
  path: '/people/roles/new',
  component: lazyRouteComponent(
    withTexts(() => import('../people/role-screen.tsx'), 'access'),
    'NewRoleScreen',
  ),
})

const role = createRoute({
  getParentRoute: () => root,
  path: '/people/roles/$id',
  component: lazyRouteComponent(
    withTexts(() => import('../people/role-screen.tsx'), 'access'),
    'RoleScreen',
  ),
})

const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  component: lazyRouteComponent(
    withTexts(() => import('../keys/keys-screen.tsx'), 'access'),
    'KeysScreen',
  ),
})

const account = createRoute({
  getParentRoute: () => root,
  path: '/account',
  component: lazyRouteComponent(
    withTexts(() => import('../account/account-screen.tsx'), 'ownAccount'),
    'AccountScreen',
  ),
})

const organization = createRoute({
  getParentRoute: () => root,
  path: '/organization',
  component: lazyRouteComponent(
    withTexts(() => import('../organization/organization-screen.tsx'), 'organizationScreens'),
    'OrganizationScreen',
  ),
})

const sso = createRoute({
  getParentRoute: () => root,
  path: '/organization/sso',
  component: lazyRouteComponent(
    withTexts(() => import('../organization/sso-screen.tsx'), 'organizationScreens'),
    'SsoScreen',
  ),
})

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: auditFiltersOf,
  component: lazyRouteComponent(
    withTexts(() => import('../audit/audit-screen.tsx'), 'organizationScreens'),
    'AuditScreen',
  ),
})

const statusPages = createRoute({
  getParentRoute: () => root,
  path: '/pages',
  component: lazyRouteComponent(
    withTexts(() => import('../status-pages/pages-screen.tsx'), 'statusPages'),
    'PagesScreen',
  ),
})

const newStatusPage = createRoute({
  getParentRoute: () => root,
  path: '/pages/new',
  component: lazyRouteComponent(
    withTexts(() => import('../status-pages/new-page.tsx'), 'statusPages', 'firstRun'),
    'NewPageScreen',
  ),
})

const statusPage = createRoute({
  getParentRoute: () => root,
  path: '/pages/$id',
  component: lazyRouteComponent(
    withTexts(() => import('../status-pages/design-screen.tsx'), 'statusPages'),
    'DesignScreen',
  ),
})

const statusPageDomain = createRoute({
  getParentRoute: () => root,
  path: '/pages/$id/domain',
  component: lazyRouteComponent(
    withTexts(() => import('../status-pages/domain-screen.tsx'), 'statusPages'),
    'DomainScreen',
  ),
})

const statusPageEmbed = createRoute({
  getParentRoute: () => root,
  path: '/pages/$id/embed',
  component: lazyRouteComponent(
    withTexts(() => import('../status-pages/embed-screen.tsx'), 'statusPages'),
    'EmbedScreen',
  ),
})

const signedIn = createRoute({
  getParentRoute: () => root,
  path: '/signed-in',
  component: lazyRouteComponent(() => import('../session/signed-in-screen.tsx'), 'SignedInScreen'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    ...communicationRoutes,
    ...configurationRoutes,
    ...integrationRoutes,
    ...maintenanceRoutes,
    ...serviceLevelRoutes,
    overview,
    components,
    newComponent,
    component,
    componentSettings,
    incidents,
    incident,
    postmortem,
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
    account,
    organization,
    sso,
    audit,
    signedIn,
  ]),
  basepath: dashboardPath,
  trailingSlash: 'never',
  defaultErrorComponent: ({ error, reset }) => <ProblemScreen error={error} onRetry={reset} />,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
