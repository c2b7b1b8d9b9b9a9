/** Download of a page as an archive of static files. */
import { exportOperations, notFound } from '@status-page/contracts'
import type { Database } from '@status-page/postgres'
import { createRoutes, type Route, rawReply, runCooperatively } from '@status-page/service'
import { createPageView } from '../access/page-access.ts'
import { findPages } from '../settings/store.ts'
import { createArchive } from './archive.ts'
import { type LoadedFile, loadFile } from './exported-file.ts'
import { prepareStaticPageFiles } from './files.ts'

interface ExportDeps {
  database: Database
  baseUrl: string
}

export const exportRoutes = ({ database, baseUrl }: ExportDeps): Route[] =>
  createRoutes(exportOperations, {
    export: async ({ params, read }) => {
      const { slug, render } = await read(async (scope) => {
        const [page] = await findPages(scope, [params.id])
        if (page === undefined) throw notFound()
        const view = await createPageView(scope, page, baseUrl)
        return { slug: page.slug, render: await prepareStaticPageFiles(view, database) }
      })
      const files: LoadedFile[] = []
      for (const file of await render()) files.push(await loadFile(file))
      return rawReply({
        contentType: 'application/zip',
        body: await runCooperatively(createArchive(slug, files)),
        headers: {
          'cache-control': 'no-store',
          'content-disposition': `attachment; filename="${slug}.zip"`,
        },
      })
    },
  })
