/** Bytes and digests of large texts equal those made in one step. */
import { createHash } from 'node:crypto'
import t from 'tap'
import { digestCooperatively, encodeCooperatively } from './encode-cooperatively.ts'
import { runToEnd } from './run-cooperatively.ts'

const STEP_LENGTH = 512 * 1024

t.test('a large text is encoded and hashed in steps, whatever its characters', async (t) => {
  const odd = `${'x'.repeat(STEP_LENGTH - 1)}😀é漢${'😀'.repeat(STEP_LENGTH)}`
  for (const text of ['', 'a', odd, `a${odd}`, `${odd}\ud800`]) {
    const bytes = runToEnd(encodeCooperatively(text))
    t.ok(bytes.equals(Buffer.from(text)))
    const digest = createHash('sha256').update(text).digest('base64url')
    t.equal(runToEnd(digestCooperatively(bytes)), digest)
    t.equal(runToEnd(digestCooperatively(text)), digest)
  }
  t.ok([...encodeCooperatively(odd)].length > 2, 'it pauses')
  t.ok([...digestCooperatively(Buffer.from(odd))].length > 2, 'it pauses')
  t.ok([...digestCooperatively(odd)].length > 2, 'it pauses')
})
