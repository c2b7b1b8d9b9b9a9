/** Every table with rows of an organization is part of its deletion. */
import { assertErasureCovers, testDatabase } from '@status-page/testing'
import t from 'tap'
import { erasureParts } from './parts.ts'

t.test('the deletion of an organization covers every table', async (t) => {
  const { adminUrl } = await testDatabase(t, { services: ['integrations'] })
  await assertErasureCovers(t, { adminUrl, schema: 'integrations' }, erasureParts)
})
