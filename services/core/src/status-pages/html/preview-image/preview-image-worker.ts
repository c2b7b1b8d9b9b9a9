/**
 * Worker thread that renders one preview image; fonts are bundled, so that the result is the same
 * everywhere.
 */
import { fileURLToPath } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import { Resvg } from '@resvg/resvg-js'
import { previewImageSvg } from './preview-image-svg.ts'

/** Fonts of the scripts that `preview-image-svg.ts` supports. */
const fontFiles = [
  import.meta.resolve('@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf'),
  import.meta.resolve('@expo-google-fonts/noto-sans/700Bold/NotoSans_700Bold.ttf'),
  import.meta.resolve('@expo-google-fonts/noto-sans-arabic/700Bold/NotoSansArabic_700Bold.ttf'),
  import.meta.resolve('@expo-google-fonts/biz-udpgothic/700Bold/BIZUDPGothic_700Bold.ttf'),
].map((url) => fileURLToPath(url))

const resvg = new Resvg(previewImageSvg(workerData), {
  font: { loadSystemFonts: false, fontFiles, defaultFontFamily: 'Noto Sans' },
  logLevel: 'off',
})
parentPort?.postMessage(resvg.render().asPng())
