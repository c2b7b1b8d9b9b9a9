/** Import from another status page. */
import {
  type Grants,
  grantsMeet,
  importOperations,
  invalid,
  missingPermission,
  requirementOf,
  type StatuspageDocuments,
} from '@status-page/contracts'
import { type OutboundPolicy, resolveUrl } from '@status-page/outbound'
import { asLookup, type Database, type Scope } from '@status-page/postgres'
import { createRoutes, type Route } from '@status-page/service'
import { findTakenSlugs } from '../status-pages/settings/store.ts'
import { importStatuspage, type StatuspageImportDeps } from './changes.ts'
import { downloadLogos, type LogoDeps, noLogos } from './logos.ts'
import { slugCandidates } from './source/page.ts'
import { readStatuspage } from './source/statuspage-reader.ts'
import { convertTexts } from './source/texts.ts'
import { findImportedRecords } from './store.ts'

interface ImportRouteDeps extends StatuspageImportDeps, LogoDeps {
  database: Database
  policy: OutboundPolicy
}

export const importRoutes = (deps: ImportRouteDeps): Route[] =>
  createRoutes(importOperations, {
    async statuspageDocuments({ body }) {
      const verdict = await resolveUrl(body.url, deps.policy)
      if (!verdict.ok) throw invalid({ field: 'url', message: `url ${verdict.message}` })
      return readStatuspage(deps.outbound, body)
    },

    statuspage: async ({ body: documents, caller, query, change, read, organizationId }) => {
      requirePermissions(documents, caller.grants)
      // Converted before the transaction, because the conversion takes time and must hold no locks.
      const texts = await convertTexts(documents)
      const slugs = pageSlugs(documents, query.slug)
      const takenSlugs = await asLookup(deps.database, (scope) => findTakenSlugs(scope, slugs))
      const { dryRun = false, publish = false } = query
      const { page } = documents
      const isNew = page !== undefined && !dryRun && (await read((scope) => isNewPage(scope, page)))
      const logos = isNew ? await downloadLogos(deps, page, organizationId) : noLogos
      return change((scope) =>
        importStatuspage(scope, deps, {
          documents,
          texts,
          dryRun,
          newPage: { isPublished: publish, slugs, takenSlugs, logos },
        }),
      )
    },
  })

const isNewPage = async (scope: Scope, { id }: { id: string }): Promise<boolean> =>
  (await findImportedRecords({ ...scope, source: 'statuspage' }, 'page', [id])).size === 0

/** Slugs that a new page may get, in the order of preference. */
const pageSlugs = ({ page }: StatuspageDocuments, slug: string | undefined): string[] => {
  if (page === undefined) return []
  return slug === undefined ? slugCandidates(page) : [slug]
}

/**
 * Requires the permission for every kind of record in the documents; `config:write` implies none of
 * them.
 */
const requirePermissions = (documents: StatuspageDocuments, grants: Grants): void => {
  const { page, components, component_groups: groups, incidents } = documents
  const { scheduled_maintenances: maintenances, subscribers_csv: csv } = documents
  const { incident_templates: templates } = documents
  const needed = [
    ...(page === undefined ? [] : ['status-pages:write' as const]),
    ...(components === undefined && groups === undefined ? [] : ['components:write' as const]),
    ...(incidents === undefined && templates === undefined ? [] : ['incidents:write' as const]),
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
