/**
 * Renderer process: renders one preview image and exits; fonts are bundled, so that the result is
 * the same everywhere.
 */
import { Resvg } from '@resvg/resvg-js'
import { fontFiles } from '../../../fonts.ts'

process.once('message', (svg: string) => {
  const resvg = new Resvg(svg, {
    font: { loadSystemFonts: false, fontFiles, defaultFontFamily: 'Noto Sans' },
    logLevel: 'off',
  })
  process.send?.({ result: resvg.render().asPng() })
})
// The parent process ended.
process.once('disconnect', () => process.exit())
process.send?.('ready')
