/** Every table with rows of an organization is covered by the deletion. */
import { assertErasureCovers, testDatabase } from '@status-page/testing'
import t from 'tap'
import { erasureParts, retainedTables } from './parts.ts'

t.test('the deletion of an organization covers every table', async (t) => {
  const { adminUrl } = await testDatabase(t, { services: ['gateway'] })
  await assertErasureCovers(t, { adminUrl, schema: 'gateway' }, erasureParts, retainedTables)
})
