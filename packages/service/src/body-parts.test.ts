/** Large bodies give the same input as small ones, with a pause after some entries. */
import { Type } from '@sinclair/typebox'
import { operation } from '@status-page/contracts'
import t from 'tap'
import { listsReader } from './body-parts.ts'
import { inputReader } from './input.ts'

const Thing = Type.Object({
  name: Type.String({ maxLength: 5 }),
  size: Type.Optional(Type.Integer({ default: 3 })),
})
const body = Type.Object({
  title: Type.String(),
  things: Type.Optional(Type.Array(Thing, { maxItems: 500 })),
  others: Type.Optional(Type.Array(Thing)),
})
const save = operation({
  id: 'things.save',
  service: 'core',
  method: 'POST',
  path: '/things',
  status: 200,
  summary: 'For tests',
  permission: 'components:write',
  body,
  reply: Type.Object({}),
} as const)

const read = inputReader(save)
const readAs = (value: unknown, bytes: Buffer) => {
  const raw = { params: {}, url: '/', ifMatch: undefined }
  try {
    const received = { kind: 'json', value, bytes } as const
    return { body: read({ ...raw, body: received }).body }
  } catch (error) {
    return { details: (error as { details: object }).details }
  }
}
const [small, large] = [Buffer.alloc(0), Buffer.alloc(65_537)]
const things = (count: number, name = 'a') => Array.from({ length: count }, () => ({ name }))

t.test('a large body has the same input as in one piece', async (t) => {
  const wrong = [...things(44), { name: 'too long' }, ...things(100), { size: 'x' }]
  const bodies = {
    valid: { title: 'a', unknown: 1, things: things(333), others: things(45) },
    'short lists': { title: 'a', things: things(20) },
    'wrong entries': { title: 'a', things: wrong },
    'wrong next to a list': { things: things(100) },
    'a list that is too long': { title: 'a', things: things(501) },
    'too many issues': {
      title: 1,
      things: things(500, 'too long'),
      others: things(50, 'too long'),
    },
    'no list': { title: 'a', things: {} },
    'no object': [],
  }
  for (const [name, value] of Object.entries(bodies)) {
    t.same(readAs(value, large), readAs(value, small), name)
  }
  t.match(readAs(bodies['wrong entries'], large), { details: { field: 'things[44].name' } })
})

t.test('entries of a large body are read in parts of 20', async (t) => {
  const work = listsReader(body)?.({ title: 'a', things: things(333), others: things(45) })
  let pauses = 0
  while (work?.next().done === false) pauses += 1
  t.equal(pauses, Math.ceil(333 / 20) + Math.ceil(45 / 20))
  t.equal(listsReader(Type.Object({ title: Type.String() })), undefined)
})
