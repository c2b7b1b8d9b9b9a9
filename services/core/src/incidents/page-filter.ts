/** Incidents that a status page shows, whether it is published or not. */
import type { PipelinedScope } from '@status-page/postgres'
import { listAllComponents } from '../components/store.ts'
import { shownComponents } from '../status-pages/settings/shown-components.ts'
import { findPages } from '../status-pages/settings/store.ts'
import type { IncidentFilter } from './store.ts'

type PageFilter = Pick<IncidentFilter, 'onlyShown' | 'retainedOn'>

/** Filter for the incidents of the page; null for a page that the organization does not have. */
export const pageFilter = async (
  scope: PipelinedScope,
  pageId: string,
): Promise<PageFilter | null> => {
  const [page] = await findPages(scope, [pageId])
  if (page === undefined) return null
  const shown = shownComponents(page, await listAllComponents(scope))
  return { onlyShown: shown.map(({ component }) => component.id), retainedOn: page.id }
}
