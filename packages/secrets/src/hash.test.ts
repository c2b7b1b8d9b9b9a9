import t from 'tap'
import { equalInConstantTime, hashToken, randomToken, sha256 } from './hash.ts'

t.test('digests match the published ones', async (t) => {
  t.equal(sha256(''), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  t.equal(hashToken('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

t.test('tokens are 256 random bits in base64url by default', async (t) => {
  t.match(randomToken(), /^[A-Za-z0-9_-]{43}$/)
  t.match(randomToken(16), /^[A-Za-z0-9_-]{22}$/)
  t.equal(new Set(Array.from({ length: 100 }, () => randomToken())).size, 100)
})

t.test('comparison takes any two lengths', async (t) => {
  t.equal(equalInConstantTime('a', 'a'), true)
  t.equal(equalInConstantTime('a', 'b'), false)
  t.equal(equalInConstantTime('a', 'aa'), false)
  t.equal(equalInConstantTime('', ''), true)
})
