/** Causes of outages on pages: named by the name on the page, and only where the page shows them. */
import type { PublicComponent } from '@status-page/contracts'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'
import { publishedOn } from './pages.fixture.ts'

const kit = await coreKit(t)

const down = { status: 'major_outage' }

const causesIn = async ({ data }: Pick<Awaited<ReturnType<typeof publishedOn>>, 'data'>) => {
  const { components } = (await data('')).json() as { components: PublicComponent[] }
  return Object.fromEntries(components.map(({ name, causedBy }) => [name, causedBy?.name ?? null]))
}

t.test('a component that is down names the dependency whose outage explains it', async (t) => {
  const page = await publishedOn(kit, { alternateLocales: ['de'] })
  const host = await page.component('<Host>', down)
  const hidden = await page.component('Database', { ...down, isEnabled: false, dependsOn: [host] })
  const api = await page.component('API', { ...down, dependsOn: [hidden] })
  await page.component('Web', { ...down, dependsOn: [api] })
  await page.component('Docs', { dependsOn: [host] })
  await page.component('Shop', { ...down, dependsOn: [await page.component('Well')] })
  t.same(await causesIn(page), {
    '<Host>': null,
    API: '<Host>',
    Web: '<Host>',
    Docs: null,
    Well: null,
    Shop: null,
  })
  t.match((await page.get('')).body, '<p class="sm q">Because of <bdi>&lt;Host&gt;</bdi></p>')
  t.match((await page.get('', { 'accept-language': 'de' })).body, 'Wegen <bdi>&lt;Host&gt;</bdi>')
  const markdown = await page.get('', { accept: 'text/markdown' })
  t.match(markdown.body, /- API: .*\\\n {2}Because of \\<Host\\>/)
})

t.test('a cause that the page does not show is not named', async (t) => {
  const page = await publishedOn(kit)
  const host = await page.component('Secret host', down)
  const gate = await page.component('Gate', { ...down, dependsOn: [host] })
  const api = await page.component('API', { ...down, dependsOn: [gate] })
  await page.change({ components: [{ componentId: api }] })
  t.same(await causesIn(page), { API: null })
  await page.change({
    components: [{ componentId: api }, { componentId: gate, displayName: 'Edge' }],
  })
  t.same(await causesIn(page), { API: 'Edge', Edge: null })
  t.notMatch((await page.get('')).body, 'Secret')
})
