/** A MAC matches its own text under a current or previous key. */
import t from 'tap'
import { createAuthenticator } from './mac.ts'

const current = '0123456789abcdef0123456789abcdef'
const previous = 'fedcba9876543210fedcba9876543210'

t.test('only the same text matches, and only under the configured keys', async (t) => {
  const { mac, isOwn } = createAuthenticator({ current }, 'page-access')
  const known = mac('a text')
  t.match(known, /^[\w-]{43}$/)
  t.equal(isOwn('a text', known), true)
  t.equal(isOwn('another text', known), false)
  for (const wrong of ['', known.slice(0, -1), `${known}x`, known.toUpperCase()]) {
    t.equal(isOwn('a text', wrong), false)
  }
  t.equal(createAuthenticator({ current: previous }, 'page-access').isOwn('a text', known), false)
})

t.test('a MAC of the previous key matches during a rotation', async (t) => {
  const before = createAuthenticator({ current: previous }, 'page-access')
  const during = createAuthenticator({ current, previous }, 'page-access')
  t.equal(during.isOwn('a text', before.mac('a text')), true)
  t.not(during.mac('a text'), before.mac('a text'))
})
