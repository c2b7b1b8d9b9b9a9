/** Addresses of the configuration and of the integrations. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from './root-route.ts'

const configuration = createRoute({
  getParentRoute: () => root,
  path: '/configuration',
  component: lazyRouteComponent(
    () => import('../configuration/document-screen.tsx'),
    'DocumentScreen',
  ),
})

const configurationVersions = createRoute({
  getParentRoute: () => root,
  path: '/configuration/versions',
  component: lazyRouteComponent(
    () => import('../configuration/versions-screen.tsx'),
    'VersionsScreen',
  ),
})

const configurationVersion = createRoute({
  getParentRoute: () => root,
  path: '/configuration/versions/$id',
  component: lazyRouteComponent(
    () => import('../configuration/version-screen.tsx'),
    'VersionScreen',
  ),
})

const variables = createRoute({
  getParentRoute: () => root,
  path: '/configuration/variables',
  component: lazyRouteComponent(
    () => import('../configuration/variables-screen.tsx'),
    'VariablesScreen',
  ),
})

const gitSync = createRoute({
  getParentRoute: () => root,
  path: '/configuration/git-sync',
  component: lazyRouteComponent(
    () => import('../configuration/git-sync-screen.tsx'),
    'GitSyncScreen',
  ),
})

const integrations = createRoute({
  getParentRoute: () => root,
  path: '/integrations',
  component: lazyRouteComponent(
    () => import('../integrations/integrations-screen.tsx'),
    'IntegrationsScreen',
  ),
})

const newIntegration = createRoute({
  getParentRoute: () => root,
  path: '/integrations/new',
  component: lazyRouteComponent(
    () => import('../integrations/new-integration-screen.tsx'),
    'NewIntegrationScreen',
  ),
})

const integration = createRoute({
  getParentRoute: () => root,
  path: '/integrations/$id',
  component: lazyRouteComponent(
    () => import('../integrations/integration-screen.tsx'),
    'IntegrationScreen',
  ),
})

const newMetricQuery = createRoute({
  getParentRoute: () => root,
  path: '/integrations/$id/metrics/new',
  component: lazyRouteComponent(
    () => import('../integrations/metric-screen.tsx'),
    'NewMetricScreen',
  ),
})

const metricQuery = createRoute({
  getParentRoute: () => root,
  path: '/integrations/$id/metrics/$queryId',
  component: lazyRouteComponent(() => import('../integrations/metric-screen.tsx'), 'MetricScreen'),
})

export const configurationRoutes = [
  configuration,
  configurationVersions,
  configurationVersion,
  variables,
  gitSync,
] as const

export const integrationRoutes = [
  integrations,
  newIntegration,
  integration,
  newMetricQuery,
  metricQuery,
] as const
