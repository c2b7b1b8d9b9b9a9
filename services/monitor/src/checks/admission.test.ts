/** Admission: fair, bounded, urgent first. */
import t from 'tap'
import { Admission, type Candidate } from './admission.ts'

interface Named extends Candidate {
  name: string
}

const candidate = (name: string, given: Partial<Named> = {}): Named => ({
  name,
  organizationId: 'a',
  host: name,
  isUrgent: false,
  ...given,
})

const takeAll = (admission: Admission<Named>) => {
  const names: string[] = []
  for (let next = admission.take(); next !== null; next = admission.take()) names.push(next.name)
  return names
}

t.test('organizations take turns, whatever the length of their queues', async (t) => {
  const admission = new Admission<Named>({ maxInFlight: 100, maxPerHost: 4 })
  for (const name of ['a1', 'a2', 'a3', 'a4']) admission.offer(candidate(name))
  admission.offer(candidate('b1', { organizationId: 'b' }))
  admission.offer(candidate('c1', { organizationId: 'c' }))
  t.same(takeAll(admission), ['a1', 'b1', 'c1', 'a2', 'a3', 'a4'])
})

t.test('failing and recovering targets go first', async (t) => {
  const admission = new Admission<Named>({ maxInFlight: 100, maxPerHost: 4 })
  admission.offer(candidate('calm'))
  admission.offer(candidate('urgent', { isUrgent: true }))
  t.same(takeAll(admission), ['urgent', 'calm'])
})

t.test('never more in flight than allowed', async (t) => {
  const admission = new Admission<Named>({ maxInFlight: 2, maxPerHost: 4 })
  for (const name of ['1', '2', '3']) admission.offer(candidate(name))
  t.same(takeAll(admission), ['1', '2'])
  t.same([admission.inFlight, admission.waiting], [2, 1])
  admission.giveBack('1')
  t.same(takeAll(admission), ['3'])
})

t.test('a busy host holds back its own targets and nobody else’s', async (t) => {
  const admission = new Admission<Named>({ maxInFlight: 100, maxPerHost: 2 })
  for (const name of ['1', '2', '3', '4']) admission.offer(candidate(name, { host: 'slow' }))
  admission.offer(candidate('other'))
  t.same(takeAll(admission), ['1', '2', 'other'])
  admission.giveBack('slow')
  t.same(takeAll(admission), ['3'])
  admission.giveBack('slow')
  admission.giveBack('slow')
  t.same(takeAll(admission), ['4'])
  t.equal(admission.waiting, 0)
})
