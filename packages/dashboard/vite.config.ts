/** Build and development server of the dashboard. */
import { fileURLToPath } from 'node:url'
import optimizeLocales from '@react-aria/optimize-locales-plugin'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { dashboardLocales } from './src/texts/locales.ts'

/** Running installation that the development server forwards requests to. */
const target = process.env.DASHBOARD_API_URL ?? 'http://localhost:8080'
const forwardedPaths = [
  '/api',
  '/status',
  '/sign-in',
  '/sign-out',
  '/setup',
  '/account',
  '/dashboard/preview-frame',
]

/** Replaces the modules by their exported values, which must be JSON, as of the start of Vite. */
const replaceByValues = (...urls: URL[]): Plugin => ({
  name: 'replace-by-values',
  async load(id) {
    const url = urls.find((one) => fileURLToPath(one) === id)
    if (url === undefined) return null
    const values: Record<string, unknown> = await import(url.href)
    return Object.entries(values)
      .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}\n`)
      .join('')
  },
})

export default defineConfig(({ command }) => ({
  // The gateway replaces the relative addresses of the document by those below its base URL.
  base: command === 'build' ? './' : '/dashboard/',
  plugins: [
    react(),
    optimizeLocales.vite({ locales: [...dashboardLocales] }),
    replaceByValues(
      new URL('src/api/contract.ts', import.meta.url),
      new URL('src/api/contract-checks.ts', import.meta.url),
      new URL('src/api/contract-forms.ts', import.meta.url),
      new URL('src/api/contract-maintenances.ts', import.meta.url),
    ),
  ],
  build: {
    // Data URLs of fonts and scripts would violate the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // build/first-load.ts reads it and limits the files of each view instead of single files.
    manifest: 'manifest.json',
    chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
    target: 'es2023',
    rolldownOptions: {
      output: {
        // One file for all modules of the first static imports. By default, each set of views that
        // shares modules with the frame has a file of its own: 26 of them, 12 kB larger with gzip.
        codeSplitting: {
          groups: [
            { name: 'frame', tags: ['$initial'] },
            // Six files of most views, 1 kB larger with gzip.
            {
              name: 'text-fields',
              test: /kit\/(?:search-)?field|\/(?:SearchField|useTextField|Input)\.mjs/,
            },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      // The gateway compares the origin of a request with its own.
      forwardedPaths.map((path) => [
        path,
        { target, changeOrigin: true, headers: { origin: target } },
      ]),
    ),
  },
}))
