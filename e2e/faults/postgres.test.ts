/** Postgres killed under the services: they wait for it, nothing is half done, and nothing is given up. */
import { publicOperations, services } from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import t from 'tap'
import { setScene } from '../kit/journey.ts'
import { assertAtRest, assertTold } from '../kit/ledger.ts'
import { startWorld } from '../kit/world.ts'

const LOAD = 12
const KILLED_AFTER = 4
const BACK_WITHIN_MS = 60_000

const world = await startWorld(t, { durable: true })
const scene = await setScene(t, world, { name: 'postgres-faults' })
const { postgres, processes } = world.stack
if (postgres === null) throw new Error('These tests need a Postgres of their own')
const pids = () => services.map((name) => processes[name].pid)
const publicStatus = () =>
  world.api.ask(publicOperations.status, { params: { slug: 'postgres-faults' } })

/** Its children hold the shared memory for a moment longer. */
const revive = () =>
  eventually(
    async () => {
      await postgres.restart()
      await postgres.waitReady()
      return true
    },
    { timeoutMs: BACK_WITHIN_MS },
  )

t.test('killed under load: each request is answered, and each answer is true', async (t) => {
  const before = pids()
  t.equal((await publicStatus()).status, 200)
  const titles = Array.from({ length: LOAD }, (_, index) => `Under load ${index}`)
  const requests: Promise<unknown>[] = []
  for (const [index, title] of titles.entries()) {
    if (index === KILLED_AFTER) await postgres.kill('SIGKILL')
    requests.push(scene.open(title).catch((error: Error) => ({ title, error })))
  }
  t.equal((await publicStatus()).status, 200, 'the page is served from memory meanwhile')
  const answers = await Promise.all(requests)
  await revive()
  const isBack = async () => (await scene.found(titles[0] ?? '')) !== undefined
  await eventually(isBack, { timeoutMs: BACK_WITHIN_MS })
  for (const answer of answers as { title: string; error?: Error }[]) {
    if (answer.error === undefined) continue
    t.match(answer.error.message, /answered 50[0234]/, answer.title)
    const made = await scene.found(answer.title)
    if (made !== undefined) scene.note('incident.created', made)
  }
  t.same(pids(), before, 'no service ended over it')
})

t.test('afterwards all goes on as before', async (t) => {
  const incident = await scene.open('After the return')
  await scene.move(incident, 'resolved')
  await t.resolves(scene.everybodyKnows(BACK_WITHIN_MS))
})

t.test('in the end everybody knows what was committed, once', async (t) => {
  await assertAtRest(t, world.admin)
  assertTold(t, scene.told, scene.hook.heard())
  assertTold(t, scene.told, scene.mails())
})
