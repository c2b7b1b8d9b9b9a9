/** Import from another status page. */
import {
  type Grants,
  grantsMeet,
  importOperations,
  missingPermission,
  requirementOf,
  type StatuspageDocuments,
} from '@status-page/contracts'
import { createRoutes, type Route } from '@status-page/service'
import type { ImportDeps } from '../subscribers/csv/import.ts'
import { importStatuspage } from './changes.ts'
import { collectMarkupTexts, plainTexts } from './plain-text.ts'

export const importRoutes = (deps: ImportDeps): Route[] =>
  createRoutes(importOperations, {
    statuspage: async ({ body: documents, caller, query, change }) => {
      requirePermissions(documents, caller.grants)
      // Converted before the transaction, because the conversion takes time and must hold no locks.
      const plain = await plainTexts(collectMarkupTexts(documents))
      const dryRun = query.dryRun === true
      return change((scope) => importStatuspage(scope, deps, { documents, plain, dryRun }))
    },
  })

/**
 * Requires the permission for every kind of record in the documents; `config:write` implies none of
 * them.
 */
const requirePermissions = (documents: StatuspageDocuments, grants: Grants): void => {
  const { components, component_groups: groups, incidents } = documents
  const { scheduled_maintenances: maintenances, subscribers_csv: csv } = documents
  const needed = [
    ...(components === undefined && groups === undefined ? [] : ['components:write' as const]),
    ...(incidents === undefined ? [] : ['incidents:write' as const]),
    ...(incidents === undefined && maintenances === undefined
      ? []
      : ['maintenances:write' as const]),
    ...(csv === undefined ? [] : ['subscribers:write' as const]),
  ]
  const missing = needed
    .map((permission) => requirementOf(permission, 'POST'))
    .find((requirement) => !grantsMeet(grants, requirement))
  if (missing !== undefined) throw missingPermission(missing)
}
