/** Values of the form for a new status page. */
import t from 'tap'
import { componentNameOf, enteredUrls, pageSlugFrom } from './page-form.ts'

t.test('a line is a URL, with https as its scheme, and counts once', async (t) => {
  const text =
    ' https://a.example/x \r\n\r\na.example:8080/y\r\nHTTPS://A.example/x\nftp://a.example'
  t.same(
    enteredUrls(text).map(({ url }) => url),
    ['HTTPS://A.example/x', 'https://a.example:8080/y', 'ftp://a.example'],
  )
  t.same(enteredUrls(' \r\n'), [])
})

t.test('the name of a component is host and path, without what can be secret', async (t) => {
  const cases = [
    ['https://a.example/', 'a.example'],
    ['https://a.example:8443/v1/health/?token=secret#x', 'a.example:8443/v1/health'],
    ['http://user:secret@a.example', 'a.example'],
    ['https://xn--bcher-kva.example', 'bücher.example'],
    ['https://[2606:4700::1]/x', '[2606:4700::1]/x'],
    ['https://', 'URL'],
  ] as const
  for (const [url, name] of cases) t.equal(componentNameOf(url), name)
  t.equal(componentNameOf(`https://a.example/${'x'.repeat(2_000)}`).length, 100)
})

t.test('a suggested slug is one that a page can have', async (t) => {
  for (const name of ['Acme Cloud', 'A', '日本', 'x'.repeat(100)]) {
    t.match(pageSlugFrom(name), /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/, name)
  }
  t.equal(pageSlugFrom('Acme Cloud'), 'acme-cloud')
})
