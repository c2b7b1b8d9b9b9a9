/** tables.ts matches the migrated schema. */
import { assertModel, testDatabase } from '@status-page/testing'
import t from 'tap'
import * as tables from './tables.ts'

t.test('tables.ts equals the migrated database', async (t) => {
  const { adminUrl } = await testDatabase(t, { services: ['config-sync'] })
  await assertModel(t, adminUrl, { service: 'config-sync', tables })
})
