/** Text lengths in code points, without counting megabytes. */
import { Type } from '@sinclair/typebox'
import t from 'tap'
import { compileValidator } from './validate.ts'

const judge = compileValidator(
  Type.Object({ url: Type.String({ minLength: 2, maxLength: 4 }) }),
  'body',
)
const messageOf = (url: string) => judge({ url })[0]?.message

t.test('lengths count code points', async (t) => {
  const tooLong = 'url must have at most 4 characters'
  const tooShort = 'url must have at least 2 characters'
  t.equal(messageOf('a'), tooShort)
  t.equal(messageOf('\u{1F300}'), tooShort)
  t.equal(messageOf('ab'), undefined)
  t.equal(messageOf('\u{1F300}'.repeat(2)), undefined)
  t.equal(messageOf('\u{1F300}'.repeat(4)), undefined)
  t.equal(messageOf(`${'\u{1F300}'.repeat(3)}ab`), tooLong)
  t.equal(messageOf('abcde'), tooLong)
  t.same(judge({ url: 'abcde' }), [
    { field: 'url', message: tooLong, keyword: 'maxLength', limit: 4 },
  ])
})

t.test('a text of megabytes is rejected without reading its characters', async (t) => {
  const { charCodeAt } = String.prototype
  let looks = 0
  t.teardown(() => Object.assign(String.prototype, { charCodeAt }))
  const counted = function (this: string, index: number) {
    looks += 1
    return charCodeAt.call(this, index)
  }
  Object.assign(String.prototype, { charCodeAt: counted })
  const message = messageOf('a'.repeat(5_000_000))
  Object.assign(String.prototype, { charCodeAt })
  t.equal(message, 'url must have at most 4 characters')
  t.ok(looks < 100, `${looks} characters`)
})
