/** Admission: fair, bounded, urgent first. */
import t from 'tap'
import { Admission, type Admitted, type Candidate } from './admission.ts'

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

const limits = {
  maxInFlight: 100,
  maxPerHost: 4,
  maxHanging: 100,
  maxHangingPerHost: 100,
  hangsAfterMs: 1000,
}

const admitAll = (admission: Admission<Named>, nowMs = 0): Admitted<Named>[] => {
  const all: Admitted<Named>[] = []
  for (let next = admission.take(nowMs); next !== null; next = admission.take(nowMs)) all.push(next)
  return all
}

const namesOf = (all: Admitted<Named>[]) => all.map(({ candidate: { name } }) => name)

const takeAll = (admission: Admission<Named>, nowMs = 0) => namesOf(admitAll(admission, nowMs))

t.test('organizations take turns, whatever the length of their queues', async (t) => {
  const admission = new Admission<Named>(limits)
  for (const name of ['a1', 'a2', 'a3', 'a4']) admission.offer(candidate(name))
  admission.offer(candidate('b1', { organizationId: 'b' }))
  admission.offer(candidate('c1', { organizationId: 'c' }))
  t.same(takeAll(admission), ['a1', 'b1', 'c1', 'a2', 'a3', 'a4'])
})

t.test('failing and recovering targets go first', async (t) => {
  const admission = new Admission<Named>(limits)
  admission.offer(candidate('calm'))
  admission.offer(candidate('urgent', { isUrgent: true }))
  t.same(takeAll(admission), ['urgent', 'calm'])
})

t.test('never more in flight than allowed', async (t) => {
  const admission = new Admission<Named>({ ...limits, maxInFlight: 2 })
  for (const name of ['1', '2', '3']) admission.offer(candidate(name))
  const [first, ...others] = admitAll(admission)
  t.same(namesOf(others), ['2'])
  t.same([admission.inFlight, admission.waiting], [2, 1])
  if (first !== undefined) admission.giveBack(first)
  t.same(takeAll(admission), ['3'])
})

t.test('a busy host delays only its own targets', async (t) => {
  const admission = new Admission<Named>({ ...limits, maxPerHost: 2 })
  for (const name of ['1', '2', '3', '4']) admission.offer(candidate(name, { host: 'slow' }))
  admission.offer(candidate('other'))
  const [one, two, other] = admitAll(admission)
  t.same(
    [one, two, other].map((taken) => taken?.candidate.name),
    ['1', '2', 'other'],
  )
  if (one !== undefined) admission.giveBack(one)
  const [three] = admitAll(admission)
  t.equal(three?.candidate.name, '3')
  for (const taken of [two, three]) if (taken !== undefined) admission.giveBack(taken)
  t.same(takeAll(admission), ['4'])
  t.equal(admission.waiting, 0)
})

t.test('a hanging check delays neither others nor its own host, within limits', async (t) => {
  const admission = new Admission<Named>({
    ...limits,
    maxInFlight: 3,
    maxPerHost: 2,
    maxHanging: 4,
    maxHangingPerHost: 2,
  })
  for (const name of ['1', '2', '3', '4', '5', '6']) {
    admission.offer(candidate(name, { host: 'slow' }))
  }
  for (const name of ['7', '8', '9']) admission.offer(candidate(name))
  const first = admitAll(admission)
  t.same(namesOf(first), ['1', '2', '7'])
  t.same(takeAll(admission, 999), [], 'all three are answered quickly, perhaps')
  t.same(takeAll(admission, 1000).sort(), ['3', '4', '8'], 'three hang: their places are free')
  t.same([admission.inFlight, admission.hanging], [6, 3])
  t.same(takeAll(admission, 2000), ['9'], 'the host has as many that hang as it may')
  t.same([admission.inFlight, admission.hanging, admission.waiting], [7, 4, 2])
  for (const taken of first) admission.giveBack(taken)
  t.same(takeAll(admission, 3000).sort(), ['5', '6'], 'those that ended make room')
  t.equal(admission.waiting, 0)
})
