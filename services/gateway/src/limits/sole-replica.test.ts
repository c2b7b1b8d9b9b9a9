/**
 * Limits of a sole replica: counted in memory, with the same limits when other replicas start and
 * stop.
 */
import t from 'tap'
import { createReplicaRegistry } from '../auth/replica-registry.ts'
import { gatewayOver, runJob, type TestGateway, testGateway } from '../gateway.fixture.ts'

t.setTimeout(120_000)

const ones = { RATE_LIMIT_MULTIPLIER: '1' }
const url = '/api/v1/nothing'

const requestConcurrently = async (
  gateways: readonly Pick<TestGateway, 'http'>[],
  count: number,
) => {
  const answers = await Promise.all(
    Array.from({ length: count }, (_one, index) =>
      gateways[index % gateways.length]?.http.inject({ url }),
    ),
  )
  return answers.filter((answer) => answer?.statusCode === 404).length
}

const remaining = async ({ http }: Pick<TestGateway, 'http'>) =>
  (await http.inject({ url })).headers['x-ratelimit-remaining']

const counted = async ({ database }: TestGateway): Promise<number> => {
  const rows = await database.batchSql`SELECT counts FROM rate_windows`
  return rows.flatMap(({ counts }) => counts as number[]).reduce((sum, count) => sum + count, 0)
}

t.test('exactly 100 of 200 parallel requests pass at limit 100', async (t) => {
  const gateway = await testGateway(t, ones)
  await runJob(gateway, 'presence')
  t.equal(
    await requestConcurrently([gateway], 30),
    30,
    'all at once, while the window is taken over',
  )
  t.equal(await requestConcurrently([gateway], 170), 70)
  await runJob(gateway, 'rate-exchange')
  t.equal(await counted(gateway), 100, 'a refusal adds nothing')
})

t.test('a sole replica queries a window once, then counts it in memory', async (t) => {
  const gateway = await testGateway(t, ones)
  await runJob(gateway, 'presence')
  for (let count = 0; count < 10; count++) await gateway.http.inject({ url })
  t.equal(await counted(gateway), 1)
  t.equal(await remaining(gateway), '89')
  await runJob(gateway, 'rate-exchange')
  t.equal(await counted(gateway), 11, 'all replicas know the charges within a second')
})

t.test('charges of a sole replica count for the next replica', async (t) => {
  const first = await testGateway(t, ones)
  await runJob(first, 'presence')
  t.equal(await requestConcurrently([first], 40), 40)
  const second = gatewayOver(t, await first.databases.connect('gateway'), ones)
  await runJob(second, 'presence')
  await runJob(first, 'presence')
  t.equal(
    await remaining(first),
    '59',
    'synchronized before the first request that both replicas count',
  )
  t.equal(await requestConcurrently([first, second], 200), 59)
})

t.test('a replica that becomes the sole one starts with the shared counts', async (t) => {
  const first = await testGateway(t, ones)
  await runJob(first, 'presence')
  t.equal(await requestConcurrently([first], 10), 10)
  const second = gatewayOver(t, await first.databases.connect('gateway'), ones)
  await runJob(second, 'presence')
  await runJob(first, 'presence')
  t.equal(await requestConcurrently([first, second], 20), 20)
  for (const { stop } of second.background ?? []) await stop()
  await runJob(first, 'presence')
  t.equal(await remaining(first), '69')
  t.equal(await remaining(first), '68')
})

t.test('a new replica serves no request while another counts as the sole one', async (t) => {
  const { database } = await testGateway(t, ones)
  const [first, second] = [createReplicaRegistry(database), createReplicaRegistry(database)]
  await first.join()
  t.not(first.soleReplicaSince(), null)
  await second.join()
  t.equal(first.soleReplicaSince(), null, 'its period has ended')
  t.equal(second.soleReplicaSince(), null)
  await first.leave()
  await second.heartbeat.run(new AbortController().signal)
  t.not(second.soleReplicaSince(), null)
})
