/** A page as an archive of files, for whoever wants to put it somewhere by hand. */
import { exportOperations, notFound } from '@status-page/contracts'
import { type Route, raw, route } from '@status-page/service'
import { strToU8, zipSync } from 'fflate'
import { viewOf } from '../public/gate.ts'
import { findPages } from '../status-pages/store.ts'
import { filesOf } from './files.ts'

export const exportRoutes = ({ baseUrl }: { baseUrl: string }): Route[] =>
  route(exportOperations, {
    export: async ({ params, read }) => {
      const { slug, files } = await read(async (scope) => {
        const [page] = await findPages(scope, [params.id])
        if (page === undefined) throw notFound()
        return { slug: page.slug, files: await filesOf(await viewOf(scope, page, baseUrl)) }
      })
      const entries = files.map(({ path, body }) => [`${slug}/${path}`, strToU8(body)] as const)
      const archive = zipSync(Object.fromEntries(entries))
      return raw({
        contentType: 'application/zip',
        body: Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength),
        headers: {
          'cache-control': 'no-store',
          'content-disposition': `attachment; filename="${slug}.zip"`,
        },
      })
    },
  })
