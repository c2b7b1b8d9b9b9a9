import t from 'tap'
import { KnownRequests, type RequestSelector, selectorLength } from './known-requests.ts'

const request: RequestSelector = {
  url: '/status/acme',
  target: null,
  accept: 'text/html',
  acceptEncoding: 'br',
}
const target = { domain: 'status.example.com', slug: 'acme' }
const others: readonly RequestSelector[] = [
  { ...request, url: '/status/other' },
  { ...request, target },
  { ...request, target: { ...target, domain: 'other.example.com' } },
  { ...request, target: { ...target, slug: 'other' } },
  { ...request, accept: undefined },
  { ...request, acceptEncoding: 'gzip' },
]

t.test('a request is found by all that selects its response', async (t) => {
  const known = new KnownRequests<RequestSelector>()
  for (const one of [request, ...others]) {
    t.equal(known.find({ ...one }), undefined)
    known.set(one)
  }
  for (const one of [request, ...others]) t.equal(known.find({ ...one }), one)
})

t.test('headers of clients evict only requests of the same URL, the oldest first', async (t) => {
  const known = new KnownRequests<RequestSelector>()
  const variants = Array.from({ length: 100 }, (_, n) => ({ ...request, accept: `text/${n}` }))
  for (const one of [...others, ...variants]) known.set(one)
  t.ok(variants.filter((one) => known.find(one) !== undefined).length < 50)
  t.equal(known.find(variants.at(-1) ?? request), variants.at(-1))
  t.equal(known.find({ ...request, target })?.target, target)
})

t.test('the length of a request covers all that selects its response', async (t) => {
  const parts = [request.url, request.accept, request.acceptEncoding, target.domain, target.slug]
  const separators = 2
  t.equal(selectorLength({ ...request, target }), parts.join('').length + separators)
  t.equal(selectorLength({ ...request, accept: undefined, acceptEncoding: undefined }), 12)
})
