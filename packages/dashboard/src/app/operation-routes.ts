/** Addresses of the configuration and of the integrations. */
import { createRoute } from '@tanstack/react-router'
import { lazyView } from '../modules/lazy-view.ts'
import { withTexts } from '../texts/language.ts'
import { root } from './root-route.ts'

const configuration = createRoute({
  getParentRoute: () => root,
  path: '/configuration',
  component: lazyView(
    withTexts(() => import('../configuration/document-screen.tsx'), 'configuration'),
    'DocumentScreen',
  ),
})

const configurationVersions = createRoute({
  getParentRoute: () => root,
  path: '/configuration/versions',
  component: lazyView(
    withTexts(() => import('../configuration/versions-screen.tsx'), 'configuration'),
    'VersionsScreen',
  ),
})

const configurationVersion = createRoute({
  getParentRoute: () => root,
  path: '/configuration/versions/$id',
  component: lazyView(
    withTexts(() => import('../configuration/version-screen.tsx'), 'configuration'),
    'VersionScreen',
  ),
})

const variables = createRoute({
  getParentRoute: () => root,
  path: '/configuration/variables',
  component: lazyView(
    withTexts(() => import('../configuration/variables-screen.tsx'), 'configuration'),
    'VariablesScreen',
  ),
})

const gitSync = createRoute({
  getParentRoute: () => root,
  path: '/configuration/git-sync',
  component: lazyView(
    withTexts(() => import('../configuration/git-sync-screen.tsx'), 'configuration', 'gitSync'),
    'GitSyncScreen',
  ),
})

const integrations = createRoute({
  getParentRoute: () => root,
  path: '/integrations',
  component: lazyView(
    withTexts(() => import('../integrations/integrations-screen.tsx'), 'integrations'),
    'IntegrationsScreen',
  ),
})

const newIntegration = createRoute({
  getParentRoute: () => root,
  path: '/integrations/new',
  component: lazyView(
    withTexts(
      () => import('../integrations/new-integration-screen.tsx'),
      'integrations',
      'componentScreens',
    ),
    'NewIntegrationScreen',
  ),
})

const integration = createRoute({
  getParentRoute: () => root,
  path: '/integrations/$id',
  component: lazyView(
    withTexts(
      () => import('../integrations/integration-screen.tsx'),
      'integrations',
      'componentScreens',
    ),
    'IntegrationScreen',
  ),
})

const newMetricQuery = createRoute({
  getParentRoute: () => root,
  path: '/integrations/$id/metrics/new',
  component: lazyView(
    withTexts(
      () => import('../integrations/metric-screen.tsx'),
      'integrations',
      'componentScreens',
      'measurements',
    ),
    'NewMetricScreen',
  ),
})

const metricQuery = createRoute({
  getParentRoute: () => root,
  path: '/integrations/$id/metrics/$queryId',
  component: lazyView(
    withTexts(
      () => import('../integrations/metric-screen.tsx'),
      'integrations',
      'componentScreens',
      'measurements',
    ),
    'MetricScreen',
  ),
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
