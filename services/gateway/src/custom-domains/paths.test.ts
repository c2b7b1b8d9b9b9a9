/** Paths of a custom domain: which of them belong to the page and which are unknown. */
import t from 'tap'
import { pathOnCustomDomain } from './paths.ts'

t.test('a custom domain serves its page and nothing else', async (t) => {
  const cases: Record<string, string> = {
    '/': '/status/acme',
    '/?a=b?c': '/status/acme?a=b?c',
    '/history?month=2026-08': '/status/acme/history?month=2026-08',
    '/incidents/1': '/status/acme/incidents/1',
    '/live': '/status/acme/live',
    '/favicon.ico': '/status/acme/favicon.svg',
    '/api/v2/summary.json': '/api/v1/public/status/acme/api/v2/summary.json',
    '/api/v2/incidents/unresolved.json':
      '/api/v1/public/status/acme/api/v2/incidents/unresolved.json',
    '/api/v1/public/status/acme/feed?format=rss': '/api/v1/public/status/acme/feed?format=rss',
    '/status/acme/history': '/status/acme/history',
    '/subscriptions/token': '/subscriptions/token',
    '/uploads/id/file.png': '/uploads/id/file.png',
    '/api/v1/public/status/other': '/unroutable',
    '/status/other': '/unroutable',
    '/status/acme2': '/unroutable',
    '/api/v1/components': '/unroutable',
    '/api/docs': '/unroutable',
    '/dashboard/': '/unroutable',
    '/health': '/unroutable',
    '/metrics': '/unroutable',
    '/certificate-hosts': '/unroutable',
  }
  for (const [path, target] of Object.entries(cases)) {
    t.equal(pathOnCustomDomain(path, 'acme'), target, path)
  }
})
