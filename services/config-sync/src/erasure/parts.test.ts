/** The deletion of an organization includes every table with its rows. */
import { assertErasureCovers, testDatabase } from '@status-page/testing'
import t from 'tap'
import { erasureParts } from './parts.ts'

t.test('the deletion of an organization covers every table', async (t) => {
  const { adminUrl } = await testDatabase(t, { services: ['config-sync'] })
  await assertErasureCovers(t, { adminUrl, schema: 'config_sync' }, erasureParts)
})
