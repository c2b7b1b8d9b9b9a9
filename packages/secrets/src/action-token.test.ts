import t from 'tap'
import { type ActionTarget, createActionTokens } from './action-token.ts'

const key = 'k'.repeat(32)
const tokens = createActionTokens({ current: key })
const target: ActionTarget = {
  subject: 'draft',
  subjectId: '01890000-0000-7000-8000-000000000001',
  recipient: 'channel',
  recipientId: '01890000-0000-7000-8000-00000000000f',
  expiresAt: new Date('2026-11-26T03:00:00Z'),
}

t.test('a token has 64 characters and returns its target', async (t) => {
  const token = tokens.create(target)
  t.match(token, /^[\w-]{64}$/)
  t.same(tokens.read(token), target)
  const alert = { ...target, subject: 'alert', recipient: 'user' } as const
  t.same(tokens.read(tokens.create(alert)), alert)
})

t.test('the expiry is rounded up to a full hour', async (t) => {
  const expiresAt = new Date('2026-11-26T02:00:00.001Z')
  t.same(tokens.read(tokens.create({ ...target, expiresAt })), target)
})

t.test('a token with any other character is refused', async (t) => {
  const token = tokens.create(target)
  for (let index = 0; index < token.length; index++) {
    const other = token[index] === 'A' ? 'B' : 'A'
    t.equal(tokens.read(token.slice(0, index) + other + token.slice(index + 1)), null)
  }
  for (const broken of ['', token.slice(1), `${token}A`, 'x'.repeat(64)]) {
    t.equal(tokens.read(broken), null)
  }
})

t.test('a token of the previous key is accepted, one of another key is not', async (t) => {
  const token = tokens.create(target)
  const rotated = createActionTokens({ current: 'n'.repeat(32), previous: key })
  t.same(rotated.read(token), target)
  t.equal(createActionTokens({ current: 'n'.repeat(32) }).read(token), null)
})
