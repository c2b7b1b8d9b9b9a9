/** Bytes and digests of large texts equal those made in one step. */
import { createHash } from 'node:crypto'
import t from 'tap'
import { runToEnd } from './run-cooperatively.ts'
import { digestCooperatively, TextBytes } from './text-bytes.ts'

t.test('a text of many pieces is encoded and hashed in steps', async (t) => {
  const pieces = Array.from({ length: 100_000 }, (_, index) => `${index}😀é漢`)
  const text = new TextBytes()
  for (const piece of pieces) text.append(piece)
  text.append(Buffer.from('é'))
  text.append('x')
  const expected = Buffer.from(`${pieces.join('')}éx`)
  const bytes = text.toBuffer()
  t.ok(bytes.equals(expected))
  t.ok(text.length <= expected.length)
  t.equal(
    runToEnd(digestCooperatively(bytes)),
    createHash('sha256').update(expected).digest('base64url'),
  )
  t.ok([...digestCooperatively(bytes)].length > 2, 'it pauses')
  t.equal(new TextBytes().toBuffer().length, 0)
})
