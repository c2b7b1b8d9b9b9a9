/** tables.ts matches the migrated schema. */
import { assertModel, testDatabase } from '@status-page/testing'
import t from 'tap'
import * as tables from './tables.ts'

t.test('tables.ts matches the migrations', async (t) => {
  const { adminUrl } = await testDatabase(t, { services: ['config-sync'] })
  await assertModel(t, adminUrl, tables)
})
