/** Operations of the sample data. */
import {
  type Grants,
  grantsMeet,
  missingPermission,
  requirementOf,
  sampleDataOperations,
} from '@status-page/contracts'
import { asLookup, type Database } from '@status-page/postgres'
import { createRoutes, type Route } from '@status-page/service'
import { findTakenSlugs } from '../../status-pages/settings/store.ts'
import { convertTexts } from '../source/texts.ts'
import { loadSample, readSample, removeSample, type SampleDeps } from './changes.ts'
import { sampleDocuments } from './documents.ts'

interface SampleRouteDeps extends SampleDeps {
  database: Database
}

const SLUG_CHARACTERS = 8

export const sampleDataRoutes = (deps: SampleRouteDeps): Route[] =>
  createRoutes(sampleDataOperations, {
    read: ({ read }) => read((scope) => readSample(scope, deps)),

    load: async ({ caller, organizationId, change }) => {
      requirePermissions(caller.grants, 'POST')
      const documents = sampleDocuments(new Date())
      const texts = await convertTexts(documents)
      const slugs = sampleSlugs(organizationId)
      const takenSlugs = await asLookup(deps.database, (scope) => findTakenSlugs(scope, slugs))
      return change((scope) => loadSample(scope, deps, { documents, texts, slugs, takenSlugs }))
    },

    remove: ({ caller, change }) => {
      requirePermissions(caller.grants, 'DELETE')
      return change((scope) => removeSample(scope, deps))
    },
  })

/** Ends of the id, which are random; its start is a time. */
const sampleSlugs = (organizationId: string): string[] => {
  const id = organizationId.replaceAll('-', '')
  return [`sample-${id.slice(-SLUG_CHARACTERS)}`, `sample-${id}`]
}

const requirePermissions = (grants: Grants, method: 'POST' | 'DELETE'): void => {
  const missing = (
    ['status-pages:write', 'components:write', 'incidents:write', 'maintenances:write'] as const
  )
    .map((permission) => requirementOf(permission, method))
    .find((requirement) => !grantsMeet(grants, requirement))
  if (missing !== undefined) throw missingPermission(missing)
}
