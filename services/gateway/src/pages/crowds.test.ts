/** Who waits for whom, and no longer than that. */
import { mock } from 'node:test'
import t from 'tap'
import { Crowds } from './crowds.ts'

t.test('whoever waits has a turn once, when who went ahead is back', async (t) => {
  const crowds = new Crowds()
  const turns: string[] = []
  const wait = (name: string, who: string) => crowds.join(name, () => turns.push(who))
  t.notOk(wait('page', 'nobody went ahead'))
  const back = crowds.lead('page')
  t.ok(crowds.isLed('page'))
  t.notOk(wait('other page', 'nor for this one'))
  t.ok(wait('page', 'first') && wait('page', 'second'))
  t.same(turns, [])
  crowds.release('page')
  t.same(turns, ['first', 'second'])
  t.notOk(crowds.isLed('page'))
  const backAgain = crowds.lead('page')
  wait('page', 'third')
  back()
  t.same(turns, ['first', 'second'], 'it was another one that came back')
  backAgain()
  t.same(turns, ['first', 'second', 'third'])
})

t.test('nobody waits for long, nor too many', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const crowds = new Crowds()
  crowds.lead('page')
  let turns = 0
  let waiting = 0
  while (crowds.join('page', () => turns++)) waiting++
  t.equal(waiting, 4_000)
  mock.timers.tick(250)
  t.equal(turns, waiting)
  t.notOk(crowds.isLed('page'))
  crowds.lead('page')
  t.ok(crowds.join('page', () => {}))
})
