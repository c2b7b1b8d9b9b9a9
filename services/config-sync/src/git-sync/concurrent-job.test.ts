import t from 'tap'
import { concurrentJob, type RepositoryWork } from './concurrent-job.ts'

const work = (run: () => Promise<void>): RepositoryWork => ({ organizationId: 'one', run })

t.test('work that ends during a claim does not end the job while more is due', async (t) => {
  const ended = Promise.withResolvers<void>()
  const claims = [
    async () => work(() => ended.promise),
    async () => {
      ended.resolve()
      await new Promise(setImmediate)
      return null
    },
    async () => work(async () => {}),
  ]
  const job = concurrentJob({
    name: 'test',
    claim: async () => (await claims.shift()?.()) ?? null,
    slowOrganizations: new Set(),
    slowAfterMs: 1_000,
  })
  t.equal(await job.run(new AbortController().signal), 2)
})
