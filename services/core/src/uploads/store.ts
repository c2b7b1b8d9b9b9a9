/** Uploads in SQL. */
import type { Query, uploadOperations } from '@status-page/contracts'
import { resourceTable, type Scope, type SystemScope } from '@status-page/postgres'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { statusPages, type UploadRow, uploadContents, uploads } from '../tables.ts'
import type { UploadUsage, UploadUse } from './rules.ts'

const table = resourceTable(uploads)

export const { find: findUpload, lock: lockUpload, remove: removeUpload } = table

export const listUploads = (scope: Scope, query: Query<typeof uploadOperations.list>) =>
  table.list(scope, query)

/** Serializes changes of the organization's uploads, so that concurrent ones respect its limits. */
export const lockUploads = async ({ tx, organizationId }: Scope): Promise<void> => {
  await tx.execute(
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${`core:uploads:${organizationId}`}, 0))`,
  )
}

export const findUploadBySha256 = async (
  scope: Scope,
  sha256: string,
): Promise<UploadRow | undefined> => (await table.select(scope, eq(uploads.sha256, sha256)))[0]

export const readUsage = async ({ tx, organizationId }: Scope): Promise<UploadUsage> => {
  const [row] = await tx
    .select({
      count: sql<number>`count(*)::int`,
      bytes: sql<number>`coalesce(sum(${uploads.bytes}), 0)::int`,
    })
    .from(uploads)
    .where(eq(uploads.organizationId, organizationId))
  return row ?? { count: 0, bytes: 0 }
}

export const insertUpload = async (
  scope: Scope,
  row: UploadRow,
  content: Buffer,
): Promise<void> => {
  await table.insert(scope, row)
  const { organizationId, id: uploadId } = row
  await scope.tx.insert(uploadContents).values({ organizationId, uploadId, content })
}

export const findUploads = (scope: Scope, ids: readonly string[]): Promise<UploadRow[]> =>
  table.select(scope, inArray(uploads.id, [...ids])).orderBy(uploads.id)

/** Locks uploads against deletion until the end of the transaction. */
export const lockReferences = (scope: Scope, ids: readonly string[]): Promise<UploadRow[]> =>
  table
    .select(scope, inArray(uploads.id, [...ids]))
    .orderBy(uploads.id)
    .for('share')

/** First page or component that refers to the upload, whatever the host of the URL. */
export const findUse = async (
  { tx, organizationId }: Scope,
  id: string,
): Promise<UploadUse | undefined> => {
  const refers = `%/uploads/${id}/%`
  const [use] = await tx.execute<UploadUse & Record<string, unknown>>(sql`
    SELECT 'status page' AS kind, name FROM status_pages
    WHERE organization_id = ${organizationId} AND (logo_url LIKE ${refers}
      OR logo_dark_url LIKE ${refers} OR favicon_url LIKE ${refers})
    UNION ALL
    SELECT 'component', name FROM components
    WHERE organization_id = ${organizationId} AND icon LIKE ${refers}
    LIMIT 1`)
  return use
}

/** Upload of any organization, with the fields of a public request. */
export type PublicUpload = Pick<UploadRow, 'organizationId' | 'id' | 'contentType' | 'sha256'>

export const findPublicUpload = async (
  { tx }: SystemScope,
  id: string,
): Promise<PublicUpload | undefined> => {
  const { organizationId, contentType, sha256 } = uploads
  const [row] = await tx
    .select({ organizationId, id: uploads.id, contentType, sha256 })
    .from(uploads)
    .where(eq(uploads.id, id))
  return row
}

export const isDomainOfOrganization = async (
  { tx }: SystemScope,
  domain: string,
  organizationId: string,
): Promise<boolean> => {
  const [row] = await tx
    .select({ id: statusPages.id })
    .from(statusPages)
    .where(
      and(
        eq(statusPages.customDomain, domain),
        eq(statusPages.customDomainStatus, 'active'),
        eq(statusPages.organizationId, organizationId),
      ),
    )
    .limit(1)
  return row !== undefined
}

export const findContent = async (
  { tx, organizationId }: Scope,
  uploadId: string,
): Promise<Buffer | undefined> => {
  const [row] = await tx
    .select({ content: uploadContents.content })
    .from(uploadContents)
    .where(
      and(eq(uploadContents.organizationId, organizationId), eq(uploadContents.uploadId, uploadId)),
    )
  return row?.content
}
