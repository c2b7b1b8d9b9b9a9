/** The first load of a view counts each file that the view needs once, in the largest language. */
import t from 'tap'
import { firstLoadsOf, type Manifest, viewsOf } from './first-load.ts'

const routes = `
  component: lazyRouteComponent(() => import('../overview/overview-screen.tsx'), 'OverviewScreen'),
  component: lazyRouteComponent(
    withTexts(() => import('../channels/channel-screen.tsx'), 'channels', 'firstRun'),
    'ChannelScreen',
  ),
`
const englishTexts = `
    channels: async () => (await import('./channels.ts')).channels,
    firstRun: async () => (await import('./first-run.ts')).firstRun,
`

t.test('a view has the texts that its route declares', async (t) => {
  t.same(viewsOf(routes, englishTexts), [
    { source: 'src/overview/overview-screen.tsx', texts: [] },
    { source: 'src/channels/channel-screen.tsx', texts: ['channels.ts', 'first-run.ts'] },
  ])
})

const manifest: Manifest = {
  'index.html': { file: 'frame.js', css: ['frame.css'] },
  _shared: { file: 'shared.js', imports: ['index.html'] },
  'src/a.tsx': { file: 'a.js', imports: ['index.html', '_shared'], css: ['a.css'] },
  'src/texts/en/index.ts': { file: 'en.js' },
  'src/texts/en/area.ts': { file: 'en-area.js' },
  'src/texts/ar/index.ts': { file: 'ar.js' },
  'src/texts/ar/area.ts': { file: 'ar-area.js' },
}
const sizes: Record<string, number> = {
  'frame.js': 100,
  'frame.css': 10,
  'shared.js': 40,
  'a.js': 20,
  'a.css': 5,
  'en.js': 1,
  'en-area.js': 2,
  'ar.js': 3,
  'ar-area.js': 4,
}
const sizeOf = (file: string): number => sizes[file] ?? Number.NaN

t.test('shared files count once, texts in the largest language', async (t) => {
  t.same(firstLoadsOf(manifest, [{ source: 'src/a.tsx', texts: ['area.ts'] }], sizeOf), [
    { source: 'src/a.tsx', bytes: 100 + 10 + 40 + 20 + 5 + 3 + 4 },
  ])
})

t.test('a view without a file is an error', async (t) => {
  const views = [{ source: 'src/b.tsx', texts: [] }]
  t.throws(() => firstLoadsOf(manifest, views, sizeOf), {
    message: 'The build has no file of src/b.tsx.',
  })
})
