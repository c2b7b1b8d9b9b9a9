/** Rows of targets are looked up by their keys, however many targets an organization has. */
import { newId, read } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import t from 'tap'
import { setup } from './monitor.fixture.ts'
import { listStates, listTargetVerdicts } from './verdicts/store.ts'

t.test('the plan for targets of one organization compares no key with all its rows', async (t) => {
  const { database } = await setup(t)
  const organizationId = newId()
  const keys = Array.from({ length: 100 }, () => ({ organizationId, componentId: newId() }))
  for (const list of [listStates, listTargetVerdicts]) {
    const plan = await read(database, organizationId, (scope) =>
      scope.tx.execute<{ 'QUERY PLAN': string }>(sql`EXPLAIN ${list(scope, keys)}`),
    )
    const lines = plan.map((row) => row['QUERY PLAN']).join('\n')
    t.match(lines, /Index Cond: .*component_id = ANY/, lines)
    t.notMatch(lines, /Join Filter/)
  }
})
