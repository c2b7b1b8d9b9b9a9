/** Encrypted digests of the passwords of status pages, for key rotation. */
import { encryptedSource } from '@status-page/postgres'
import { pagePasswordContext } from '@status-page/secrets'
import { statusPages } from '../../tables.ts'

const { id, organizationId, passwordDigest } = statusPages

export const encryptedPagePasswords = encryptedSource({
  name: 'page-passwords',
  table: statusPages,
  id,
  columns: [passwordDigest],
  selected: { id, organizationId, passwordDigest },
  textsOf: (row) => [
    { sealed: row.passwordDigest, context: pagePasswordContext(row.organizationId, row.id) },
  ],
})
