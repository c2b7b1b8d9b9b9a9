/** Uploaded images of a page as files, with names that contain their digests. */
import { imageFileName } from '@status-page/contracts'
import { type Database, read } from '@status-page/postgres'
import { ownImage } from '../../uploads/rules.ts'
import { findContent, findUploads } from '../../uploads/store.ts'
import type { PageView } from '../access/page-access.ts'
import type { ExportedFile } from './exported-file.ts'
import { imageFilePath } from './static-urls.ts'

export const imageFilesOf = async (
  database: Database,
  { scope, page, shown, baseUrl }: PageView,
): Promise<ExportedFile[]> => {
  const icons = [...shown.values()].map(({ component: { icon, showIconOnStatusPage } }) =>
    showIconOnStatusPage ? icon : null,
  )
  const ids = [page.logoUrl, page.logoDarkUrl, page.faviconUrl, ...icons].flatMap(
    (url) => (url === null ? null : ownImage(url, baseUrl)?.id) ?? [],
  )
  const { organizationId } = scope
  const rows = await findUploads(scope, [...new Set(ids)])
  return rows.map((row) => ({
    path: imageFilePath(imageFileName(row)),
    contentType: row.contentType,
    body: {
      digest: row.sha256,
      read: async () => {
        const content = await read(database, organizationId, (own) => findContent(own, row.id))
        if (content === undefined) throw new Error(`The image ${row.id} was deleted`)
        return content
      },
    },
  }))
}
