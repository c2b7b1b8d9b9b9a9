/** Cache keys, the choice of an encoding and the note of an outdated page. */

import { Readable } from 'node:stream'
import { text as streamText } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { pageOperations, publicOperations } from '@status-page/contracts'
import t from 'tap'
import { type EntryBody, encodingFor, openingOf, outdatedBody } from './cache-entry.ts'
import { cacheKey } from './cache-key.ts'
import { compressLargeBody, plainLargeBody } from './large-body.ts'

const plain = (bytes: Buffer): EntryBody => ({ bytes, encoding: 'identity', length: bytes.length })

t.test('cache keys differ by exactly what changes the response of core', async (t) => {
  const plain = { path: '/status/a', accept: undefined, domain: undefined }
  const show = (more: object = {}) => cacheKey(pageOperations.show, { ...plain, ...more })
  t.equal(show({ path: '/status/a?utm=1' }), show())
  t.equal(show({ accept: 'text/html,*/*' }), show({ accept: '*/*' }))
  t.not(show({ accept: 'text/markdown' }), show())
  t.not(show({ domain: 'status.acme.test' }), show())
  const feed = (path: string) => cacheKey(publicOperations.feed, { ...plain, path })
  t.equal(feed('/f?x=1&format=rss'), feed('/f?format=rss'))
  t.not(feed('/f?format=atom'), feed('/f?format=rss'))
  const badge = (path: string) => cacheKey(publicOperations.badge, { ...plain, path })
  t.equal(badge('/b?label=a&metric=uptime'), badge('/b?metric=uptime&label=a'))
  t.not(badge('/b?label=a'), badge('/b?label=b'))
})

t.test('the spelling of a request does not affect responses to other clients', async (t) => {
  const keyFor = (accept: string | undefined) =>
    cacheKey(pageOperations.show, { path: '/status/a', accept, domain: undefined })
  t.not(keyFor('Text/MARKDOWN'), keyFor('text/html'))
  t.equal(
    keyFor('text/markdown;x=1'),
    keyFor('text/markdown'),
    'parameters of a media type do not matter',
  )
  t.equal(keyFor('text/html, text/markdown;q=0.1'), keyFor(undefined))
  const badge = (path: string) =>
    cacheKey(publicOperations.badge, { path, accept: undefined, domain: undefined })
  t.not(badge('/b?label=a?b'), badge('/b?label=a'))
})

t.test('an encoding is used if the client accepts it and it saves bytes', async (t) => {
  const large = (type: string, length = 2_000) => ({
    body: plain(Buffer.alloc(length)),
    headers: { 'content-type': type },
  })
  const page = large('text/html; charset=utf-8')
  t.equal(encodingFor('gzip, deflate, br', page), 'br')
  t.equal(encodingFor('gzip;q=0.5', page), 'gzip')
  t.equal(encodingFor('br;q=0, gzip', page), 'gzip')
  t.equal(encodingFor('', page), 'identity')
  t.equal(encodingFor('br', large('text/html', 100)), 'identity')
  for (const type of ['application/json', 'application/atom+xml; charset=utf-8', 'image/svg+xml'])
    t.equal(encodingFor('br', large(type)), 'br', type)
  t.equal(encodingFor('br', large('image/png')), 'identity', 'compressed already')
})

t.test('an outdated page shows its time', async (t) => {
  const note = '<p id="outdated" class="note" role="status" hidden>At <time></time>.</p>'
  const entry = {
    body: plain(Buffer.from(note)),
    etag: '"a"',
    organizationId: 'o',
    slug: 's',
    validatedAt: Date.UTC(2026, 7, 1, 9, 30),
    requestedAt: 0,
    maxAgeMs: 0,
    variants: {},
  }
  const page = { ...entry, headers: { 'content-type': 'text/html; charset=utf-8' } }
  t.equal(
    String((await outdatedBody(page)).bytes),
    '<p id="outdated" class="note" role="status">At ' +
      '<time datetime="2026-08-01T09:30:00.000Z">2026-08-01 09:30 UTC</time>.</p>',
  )
  const data = { ...entry, headers: { 'content-type': 'application/json' } }
  t.equal(outdatedBody(data), data.body)
})

t.test('a large page is stored as gzip, and shows its time when it is outdated', async (t) => {
  const note = '<p id="outdated" class="note" role="status" hidden>At <time></time>.</p>'
  const text = `<main data-version="v1">${note}${'<i class="up"></i>'.repeat(200_000)}</main>`
  const body = await compressLargeBody(Readable.from([Buffer.from(text)]))
  t.equal(body.length, text.length)
  t.ok(body.bytes.length < text.length / 50)
  t.match(openingOf(body).toString(), /^<main data-version="v1"><p id="outdated"/)
  const headers = { 'content-type': 'text/html; charset=utf-8' }
  t.equal(encodingFor('gzip, deflate, br', { body, headers }), 'gzip')
  t.equal(encodingFor('br', { body, headers }), 'identity')
  const entry = { headers, body, etag: '"a"', organizationId: 'o', slug: 's', variants: {} }
  const times = { validatedAt: Date.UTC(2026, 7, 1, 9, 30), requestedAt: 0, maxAgeMs: 0 }
  const outdated = await outdatedBody({ ...entry, ...times })
  const page = gunzipSync(outdated.bytes).toString()
  t.match(page, /role="status">At <time datetime="2026-08-01T09:30:00.000Z">/)
  t.equal(outdated.length, page.length)
  t.equal(await streamText(plainLargeBody(body)), text)
})
