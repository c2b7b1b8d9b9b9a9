/** The deletion of an organization covers every table that has rows of it. */
import { assertErasureCovers, testDatabase } from '@status-page/testing'
import t from 'tap'
import { erasureParts } from './parts.ts'

t.test('the deletion of an organization covers every table', async (t) => {
  const { adminUrl } = await testDatabase(t, { services: ['core'] })
  await assertErasureCovers(t, { adminUrl, schema: 'core' }, erasureParts(true))
})
