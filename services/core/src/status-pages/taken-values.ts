/** Slugs and domains of a batch that pages of other organizations have. */
import type { Issue, NewPageDefinition, PageDefinitionPatch } from '@status-page/contracts'
import { asLookup, type Database, type SystemScope } from '@status-page/postgres'
import type { TypedChanges } from '../configured-resource.ts'
import { DOMAIN_TAKEN, SLUG_TAKEN } from './settings/duplicates.ts'
import * as store from './settings/store.ts'

type PageChanges = TypedChanges<NewPageDefinition, PageDefinitionPatch>

/** The API rejects the same values; slugs of the own organization are found in the transaction. */
export const findTakenValues = (
  database: Database,
  organizationId: string,
  changes: PageChanges,
): Promise<Issue[]> =>
  asLookup(database, async (scope) => [
    ...(await takenSlugs(scope, organizationId, changes)),
    ...(await takenDomains(scope, changes)),
  ])

const takenSlugs = async (
  scope: SystemScope,
  organizationId: string,
  { create }: PageChanges,
): Promise<Issue[]> => {
  const slugs = create.map(({ value }) => value.slug)
  const taken = await store.findSlugsOfOthers(scope, organizationId, slugs)
  return slugs.flatMap((slug, index) =>
    taken.has(slug) ? [{ field: `create[${index}].value.slug`, message: SLUG_TAKEN }] : [],
  )
}

const takenDomains = async (
  scope: SystemScope,
  { create, update }: PageChanges,
): Promise<Issue[]> => {
  const claims = [
    ...create.map(({ value }, index) => ({ value, id: null, path: `create[${index}].value` })),
    ...update.map(({ id, value }, index) => ({ value, id, path: `update[${index}].value` })),
  ]
  const issues: Issue[] = []
  for (const { value, id, path } of claims) {
    const domain = value.customDomain ?? null
    if (domain === null || !(await store.isDomainActiveElsewhere(scope, domain, id))) continue
    issues.push({ field: `${path}.customDomain`, message: DOMAIN_TAKEN })
  }
  return issues
}
