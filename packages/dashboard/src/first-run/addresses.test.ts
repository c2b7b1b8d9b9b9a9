/** Addresses as people paste them. */
import t from 'tap'
import { correctedAddress, parseAddresses } from './addresses.ts'

const cases: [string, string, { urls: string[]; invalid?: string[] }][] = [
  ['nothing', ' \n ', { urls: [] }],
  [
    'one per line',
    'https://a.example/x\nhttp://b.example',
    {
      urls: ['https://a.example/x', 'http://b.example/'],
    },
  ],
  ['without a scheme', 'api.example.com/health', { urls: ['https://api.example.com/health'] }],
  ['repeated', 'a.example\nhttps://a.example/', { urls: ['https://a.example/'] }],
  [
    'separated by commas',
    'a.example, b.example',
    {
      urls: ['https://a.example/', 'https://b.example/'],
    },
  ],
  ['another scheme', 'ftp://a.example', { urls: [], invalid: ['ftp://a.example'] }],
  ['a script', 'javascript:alert(1)', { urls: [], invalid: ['javascript:alert(1)'] }],
  [
    'user info',
    'https://user:pass@a.example',
    { urls: [], invalid: ['https://user:pass@a.example'] },
  ],
  ['a word', 'website', { urls: [], invalid: ['website'] }],
]

for (const [name, text, { urls, invalid = [] }] of cases) {
  t.test(name, async (t) => {
    const list = parseAddresses(text)
    t.same(
      list.addresses.map(({ url }) => url),
      urls,
    )
    t.same(list.invalid, invalid)
  })
}

t.test('the proposed name is the host and the path, within the limit of a name', async (t) => {
  const long = `https://www.a.example/${'x'.repeat(200)}`
  const [first, second] = parseAddresses(`https://www.a.example/\n${long}`).addresses
  t.equal(first?.name, 'a.example')
  t.equal(second?.name.length, 100)
})

t.test('a corrected address keeps a chosen name and replaces a proposed one', async (t) => {
  const proposed = { url: 'https://a.example/', name: 'a.example' }
  const chosen = { ...proposed, name: 'Shop' }
  const url = 'https://b.example/'
  t.same(correctedAddress(proposed, 'b.example'), { url, name: 'b.example' })
  t.same(correctedAddress(chosen, ' b.example '), { url, name: 'Shop' })
  for (const text of ['', 'b.example c.example', 'ftp://b.example', 'b.example x']) {
    t.equal(correctedAddress(proposed, text), null, text)
  }
})
