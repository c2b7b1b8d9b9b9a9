/** Stores converted images. */
import type { AuditDraft } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import type { UploadRow } from '../tables.ts'
import type { ConvertedImage } from './images/image.ts'
import { auditUpload, createUpload, requireRoom } from './rules.ts'
import * as store from './store.ts'

/** Stores the image; one that is stored already is returned as it is. */
export const storeImage = async (
  scope: Scope,
  image: ConvertedImage,
): Promise<{ row: UploadRow; audit: AuditDraft[] }> => {
  await store.lockUploads(scope)
  const stored = await store.findUploadBySha256(scope, image.sha256)
  if (stored !== undefined) return { row: stored, audit: [] }
  const { organizationId, now } = scope
  const row = createUpload(image, { id: newId(), organizationId, now })
  requireRoom(await store.readUsage(scope), row)
  await store.insertUpload(scope, row, image.content)
  return { row, audit: [auditUpload('create', null, row)] }
}
