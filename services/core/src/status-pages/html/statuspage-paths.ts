/**
 * Paths of a Statuspage whose page was imported. Links with ids of the source pass the access check
 * of the page; the other paths are redirected for every slug alike, and so reveal nothing.
 */
import {
  orNotFound,
  type pageOperations,
  type statuspagePathOperations,
} from '@status-page/contracts'
import { HTML_CONTENT_TYPE } from '@status-page/html'
import { type Call, type Handlers, type RawReply, rawReply } from '@status-page/service'
import { findImportedItem } from '../../imports/store.ts'
import { movedTo, type PublicResponse } from '../access/caching.ts'
import type { PageAccessRequest, PageView } from '../access/page-access.ts'
import { findPublicIncident } from '../public/page-queries.ts'
import { incidentPath, maintenancePath } from './documents/incidents.ts'
import { findPublicMaintenance } from './documents/queries.ts'
import { pagePaths, pageUrls } from './layout/urls.ts'

/** Redirects from the id at the source to the page of the incident or maintenance. */
export const redirectImportedItem = async (
  view: PageView,
  {
    params,
    query,
    headers,
  }: Pick<Call<typeof pageOperations.incident>, 'params' | 'query' | 'headers'>,
): Promise<PublicResponse> => {
  const { kind, recordId } = orNotFound(await findImportedItem(view.scope, params.id))
  const path =
    kind === 'incident'
      ? incidentPath(await findPublicIncident(view, recordId))
      : maintenancePath(await findPublicMaintenance(view, recordId))
  return movedTo(pageUrls(view.page, headers, view.baseUrl, query.locale).path(path))
}

const MAX_AGE_SECONDS = 3_600

type PathCall = Pick<PageAccessRequest, 'headers' | 'params'>

export const statuspagePathHandlers = (
  baseUrl: string,
): Handlers<typeof statuspagePathOperations> => {
  const redirect = ({ params, headers }: PathCall, part: string): RawReply =>
    rawReply({
      status: 301,
      contentType: HTML_CONTENT_TYPE,
      body: '',
      headers: {
        location: pagePaths(params.slug, headers, baseUrl).data(part),
        'cache-control': `public, max-age=${MAX_AGE_SECONDS}`,
        'access-control-allow-origin': '*',
      },
    })
  return {
    statuspageAtom: async (call) => redirect(call, '/feed?format=atom'),
    statuspageRss: async (call) => redirect(call, '/feed?format=rss'),
    statuspageDocument: async (call) => redirect(call, `/api/v2/${call.params.file}`),
    statuspageList: async (call) =>
      redirect(call, `/api/v2/${call.params.folder}/${call.params.file}`),
  }
}
