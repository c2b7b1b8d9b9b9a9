/** Boxes: only the holder of the private key reads them, for the record they were sealed for. */
import t from 'tap'
import { generateBoxKeys, isBoxPublicKey, openBox, sealBox } from './key-box.ts'

t.test('the holder of the private key reads what was sealed to the public key', async (t) => {
  const keys = generateBoxKeys()
  const sealed = sealBox('Bearer s3cret — ü', keys.publicKey, 'c1:authorization')
  t.equal(openBox(sealed, keys, 'c1:authorization'), 'Bearer s3cret — ü')
  t.notMatch(sealed, /s3cret/)
  t.not(sealed, sealBox('Bearer s3cret — ü', keys.publicKey, 'c1:authorization'))
})

t.test('another key, another record and a changed box are refused', async (t) => {
  const keys = generateBoxKeys()
  const sealed = sealBox('s3cret', keys.publicKey, 'c1:authorization')
  t.throws(() => openBox(sealed, generateBoxKeys(), 'c1:authorization'))
  t.throws(() => openBox(sealed, keys, 'c2:authorization'))
  const last = sealed.endsWith('A') ? 'Q' : 'A'
  t.throws(() => openBox(`${sealed.slice(0, -2)}${last}${last}`, keys, 'c1:authorization'))
  t.throws(() => openBox('v1.0badc0de.text', keys, 'c1:authorization'), /malformed/)
})

t.test('a public key of low order is refused', async (t) => {
  t.equal(isBoxPublicKey(generateBoxKeys().publicKey), true)
  t.equal(isBoxPublicKey(Buffer.alloc(32).toString('base64url')), false)
  t.equal(isBoxPublicKey('short'), false)
})
