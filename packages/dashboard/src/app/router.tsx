/** Addresses of the dashboard; each view is a module of its own, loaded when it is opened. */
import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { dashboardPath } from '../api/client.ts'
import { auditFiltersOf } from '../audit/filters.ts'
import { componentSearchOf } from '../components/search.ts'
import { readDeliveryFilters } from '../deliveries/filters.ts'
import { readFilters } from '../incidents/filters.ts'
import { readAlertFilters } from '../oncall/alert-filters.ts'
import { memberSearchOf } from '../people/member-search.ts'
import { readSubscriberFilters } from '../subscribers/filters.ts'
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
  component: lazyRouteComponent(() => import('../incidents/detail-screen.tsx'), 'IncidentScreen'),
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
    () => import('../first-run/checklist-screen.tsx'),
    'ChecklistScreen',
  ),
})

const statuspageImport = createRoute({
  getParentRoute: () => root,
  path: '/start/import',
  component: lazyRouteComponent(() => import('../imports/import-screen.tsx'), 'ImportScreen'),
})

const step = createRoute({
  getParentRoute: () => root,
  path: '/start/$step',
  component: lazyRouteComponent(() => import('../first-run/step-screen.tsx'), 'StepScreen'),
})

const components = createRoute({
  getParentRoute: () => root,
  path: '/components',
  validateSearch: componentSearchOf,
  component: lazyRouteComponent(
    () => import('../components/components-screen.tsx'),
    'ComponentsScreen',
  ),
})

const newComponent = createRoute({
  getParentRoute: () => root,
  path: '/components/new',
  component: lazyRouteComponent(
    () => import('../components/new-component-screen.tsx'),
    'NewComponentScreen',
  ),
})

const component = createRoute({
  getParentRoute: () => root,
  path: '/components/$id',
  component: lazyRouteComponent(
    () => import('../components/component-screen.tsx'),
    'MonitoringScreen',
  ),
})

const componentSettings = createRoute({
  getParentRoute: () => root,
  path: '/components/$id/settings',
  component: lazyRouteComponent(
    () => import('../components/component-screen.tsx'),
    'SettingsScreen',
  ),
})

const onCall = createRoute({
  getParentRoute: () => root,
  path: '/on-call',
  component: lazyRouteComponent(() => import('../oncall/on-call-screen.tsx'), 'OnCallScreen'),
})

const newSchedule = createRoute({
  getParentRoute: () => root,
  path: '/on-call/schedules/new',
  component: lazyRouteComponent(
    () => import('../oncall/schedule-form-screens.tsx'),
    'NewScheduleScreen',
  ),
})

const schedule = createRoute({
  getParentRoute: () => root,
  path: '/on-call/schedules/$id',
  component: lazyRouteComponent(() => import('../oncall/schedule-screen.tsx'), 'ScheduleScreen'),
})

const scheduleSettings = createRoute({
  getParentRoute: () => root,
  path: '/on-call/schedules/$id/settings',
  component: lazyRouteComponent(
    () => import('../oncall/schedule-form-screens.tsx'),
    'ScheduleSettingsScreen',
  ),
})

const alerts = createRoute({
  getParentRoute: () => root,
  path: '/on-call/alerts',
  validateSearch: readAlertFilters,
  component: lazyRouteComponent(() => import('../oncall/alerts-screen.tsx'), 'AlertsScreen'),
})

const alert = createRoute({
  getParentRoute: () => root,
  path: '/on-call/alerts/$id',
  component: lazyRouteComponent(() => import('../oncall/alert-screen.tsx'), 'AlertScreen'),
})

const people = createRoute({
  getParentRoute: () => root,
  path: '/people',
  validateSearch: memberSearchOf,
  component: lazyRouteComponent(() => import('../people/people-screen.tsx'), 'PeopleScreen'),
})

const roles = createRoute({
  getParentRoute: () => root,
  path: '/people/roles',
  component: lazyRouteComponent(() => import('../people/roles-screen.tsx'), 'RolesScreen'),
})

const newRole = createRoute({
  getParentRoute: () => root,
  path: '/people/roles/new',
  component: lazyRouteComponent(() => import('../people/role-screen.tsx'), 'NewRoleScreen'),
})

const role = createRoute({
  getParentRoute: () => root,
  path: '/people/roles/$id',
  component: lazyRouteComponent(() => import('../people/role-screen.tsx'), 'RoleScreen'),
})

const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  component: lazyRouteComponent(() => import('../keys/keys-screen.tsx'), 'KeysScreen'),
})

const subscribers = createRoute({
  getParentRoute: () => root,
  path: '/subscribers',
  validateSearch: readSubscriberFilters,
  component: lazyRouteComponent(
    () => import('../subscribers/subscribers-screen.tsx'),
    'SubscribersScreen',
  ),
})

const subscriberImport = createRoute({
  getParentRoute: () => root,
  path: '/subscribers/import',
  component: lazyRouteComponent(
    () => import('../subscribers/import-screen.tsx'),
    'SubscriberImportScreen',
  ),
})

const channels = createRoute({
  getParentRoute: () => root,
  path: '/channels',
  component: lazyRouteComponent(() => import('../channels/channels-screen.tsx'), 'ChannelsScreen'),
})

const newChannel = createRoute({
  getParentRoute: () => root,
  path: '/channels/new',
  component: lazyRouteComponent(
    () => import('../channels/new-channel-screen.tsx'),
    'NewChannelScreen',
  ),
})

const channel = createRoute({
  getParentRoute: () => root,
  path: '/channels/$id',
  component: lazyRouteComponent(() => import('../channels/channel-screen.tsx'), 'ChannelScreen'),
})

const deliveries = createRoute({
  getParentRoute: () => root,
  path: '/deliveries',
  validateSearch: readDeliveryFilters,
  component: lazyRouteComponent(
    () => import('../deliveries/deliveries-screen.tsx'),
    'DeliveriesScreen',
  ),
})

const delivery = createRoute({
  getParentRoute: () => root,
  path: '/deliveries/$id',
  component: lazyRouteComponent(
    () => import('../deliveries/delivery-screen.tsx'),
    'DeliveryScreen',
  ),
})

const account = createRoute({
  getParentRoute: () => root,
  path: '/account',
  component: lazyRouteComponent(() => import('../account/account-screen.tsx'), 'AccountScreen'),
})

const organization = createRoute({
  getParentRoute: () => root,
  path: '/organization',
  component: lazyRouteComponent(
    () => import('../organization/organization-screen.tsx'),
    'OrganizationScreen',
  ),
})

const sso = createRoute({
  getParentRoute: () => root,
  path: '/organization/sso',
  component: lazyRouteComponent(() => import('../organization/sso-screen.tsx'), 'SsoScreen'),
})

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: auditFiltersOf,
  component: lazyRouteComponent(() => import('../audit/audit-screen.tsx'), 'AuditScreen'),
})

const statusPages = createRoute({
  getParentRoute: () => root,
  path: '/pages',
  component: lazyRouteComponent(() => import('../status-pages/pages-screen.tsx'), 'PagesScreen'),
})

const newStatusPage = createRoute({
  getParentRoute: () => root,
  path: '/pages/new',
  component: lazyRouteComponent(() => import('../status-pages/new-page.tsx'), 'NewPageScreen'),
})

const statusPage = createRoute({
  getParentRoute: () => root,
  path: '/pages/$id',
  component: lazyRouteComponent(() => import('../status-pages/page-screen.tsx'), 'DesignScreen'),
})

const statusPageDomain = createRoute({
  getParentRoute: () => root,
  path: '/pages/$id/domain',
  component: lazyRouteComponent(() => import('../status-pages/page-screen.tsx'), 'DomainScreen'),
})

const statusPageEmbed = createRoute({
  getParentRoute: () => root,
  path: '/pages/$id/embed',
  component: lazyRouteComponent(() => import('../status-pages/page-screen.tsx'), 'EmbedScreen'),
})

const signedIn = createRoute({
  getParentRoute: () => root,
  path: '/signed-in',
  component: lazyRouteComponent(() => import('../session/signed-in-screen.tsx'), 'SignedInScreen'),
})

export const router = createRouter({
  routeTree: root.addChildren([
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
    subscribers,
    subscriberImport,
    channels,
    newChannel,
    channel,
    deliveries,
    delivery,
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
